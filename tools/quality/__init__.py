"""The quality of a primitive, measured by counters: the criteria of Bombieri, Busato and Fummi ("An Enhanced Profiling
Framework for the Analysis and Development of Parallel Primitives for GPUs") from Nsight Compute (docs/quality.md)."""
