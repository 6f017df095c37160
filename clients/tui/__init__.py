"""The terminal client, `turnfold tui` (`clients.md` F, `views.md` D; S003): a session live, one message a turn.

1. `document` makes pieces of text from what `clients.wire` holds; it is pure and knows no terminal. Whatever came live,
   it equals what a snapshot of the same moment gives (D-4).
2. What is process, what is body, who has a header: the service says it (`presentation.steps`), nothing here decides it.
3. Everything from outside goes through `harmless` before it becomes a piece; nothing else of it reaches a terminal.
4. Cost follows the change: a delta touches the pieces of its row, and the screen asks for the lines that it shows.
"""
