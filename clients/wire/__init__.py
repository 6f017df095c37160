"""The wire as a client of Python speaks it (`docs/protocol.md`): what comes, what is held, and the connection.

1. **Everything but `connection` and `service` is pure**: told a frame, a part answers with what is held, what changed
   and what to send. It knows no socket and no clock.
2. **What does not follow is never repaired by guess**: subscribe again, without a position.
3. **A lost connection changes nothing that is held**, and it is no end of anything: it is resumed by position.
4. The cost of a delta follows the change, whatever the length of its turn.
"""
