"""The farm: chooses the rows of gpuprims_policies.h, and finds changes that made something slower."""
