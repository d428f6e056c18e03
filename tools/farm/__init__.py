"""The farm: what chooses the rows of gpuprims_policies.h, and what finds out when a change made something slower."""
