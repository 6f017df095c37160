"""What the reader opened and closed by hand: pure reducers over frozen values (`clients.md` E-3 to E-5, E-8 to E-10).

The same reducers are written in JavaScript in `clients/web/src/expansion`, module by module under the same names; the
vectors in `tests/vectors/expansion` decide what is right, and both run all of them. `docs/clients.md` is the table of
states, actions and rules for whoever writes a client of their own.

1. **State and action alone decide.** An action carries the turn it was made in, as the client holds it at that moment;
   nothing of the transcript is kept here. So a delta costs nothing unless it changes a turn's presentation, and then
   the rows of that turn at most.
2. **A choice is kept by name**, never by position: a generation, an entry, a group, a topology, a row. A name that no
   turn has waits; a name that comes back finds its choice (E-3, E-8).
3. **An action that changes nothing gives back the very same state**, and no action makes a reducer raise.
4. **Nothing that the reader uses is closed by itself**: `settle` stores an *open* for what would hide it (E-4, E-8).
   It may run after every change, any number of times.
5. **Nothing is stored outside this state**, and nothing of it leaves the client; `forget` frees a session (E-3).
"""
