"""The pure core: session events in, folded transcripts, specs and presentations out.

The data's way through this package, one module a stage:
`decode` (bytes to events) → `session` (the fold) → `turn_process` (specs) → `web` (presentation) →
`transcript` and `deltas` (what goes on the wire). Nothing here knows a network, a clock or a store.
"""
