"""Synthetic noise of measurements: factors for the synthetic worker's times, and input for the tests of the statistics.

A GPU's times are not normally distributed. (1) A process has its own level, because its physical addresses and clocks
differ; rounds within a process agree better than processes do (Kalibera and Jones, Rigorous Benchmarking in Reasonable
Time, ISMM 2013). That is `between`, log-normal, because such effects multiply. (2) Rounds scatter about that level,
log-normal too (`within`). Sometimes something else runs and makes a round slower: its excess is exponential in the
logarithm, so the factor has a Pareto tail (`tail`: how often; `tail_size`: mean log excess). (3) Some cells have two
modes: a process runs at one speed or the other (`second_mode`: how often; `mode_gap`: log distance). (4) Rooms warm up:
a slow wave over the rounds since the machine started measuring (`drift`: amplitude; `drift_period`: rounds), equal for
all cells at that time. (5) Throttling: all rounds of a window are slower by a factor (`throttle`: [first round, round
after the last, factor]).

Equal seeds of the caller's generator give equal noise. Nights of noise are NumPy arrays. The synthetic worker measures
one process, round by round, and is started hundreds of times: it uses Python's own random numbers, so that it need not
import NumPy.
"""
import math

# Sizes as logarithms: 0.01 is one per cent. A model has no other keys.
QUIET = {"between": 0.0, "within": 0.0, "tail": 0.0, "tail_size": 0.0, "second_mode": 0.0, "mode_gap": 0.0,
         "drift": 0.0, "drift_period": 10000.0, "throttle": None}
# One per cent between processes, as on an unshared data-centre GPU.
TYPICAL = {**QUIET, "between": 0.01, "within": 0.004, "tail": 0.03, "tail_size": 0.05}


def complete(model):
    """The model with every key; an unknown key is an error, because it may be a misspelt one."""
    unknown = sorted(set(model) - set(QUIET))
    if unknown:
        raise ValueError(f"noise model: unknown key {', '.join(unknown)}; the keys are {', '.join(sorted(QUIET))}")
    return {**QUIET, **model}


def process_logs(rng, shape, model):
    """Logarithms of processes' levels: an array of `shape`, an element a process."""
    model = complete(model)
    logs = model["between"] * rng.standard_normal(shape)
    if model["second_mode"]:
        logs += model["mode_gap"] * (rng.random(shape) < model["second_mode"])
    return logs


def round_logs(rng, shape, model, first=0):
    """Logarithms of the rounds' deviations from their process's level. The last axis of `shape` are rounds; `first` is
    the number of the first one since the machine started measuring (a number, or an array of the other axes)."""
    import numpy as np
    model = complete(model)
    logs = model["within"] * rng.standard_normal(shape)
    if model["tail"]:
        slow = rng.random(shape) < model["tail"]
        logs[slow] += rng.exponential(model["tail_size"], np.count_nonzero(slow))
    if model["drift"] or model["throttle"]:
        rounds = np.asarray(first)[..., None] + np.arange(logs.shape[-1])
        logs += model["drift"] * np.sin(2 * np.pi * rounds / model["drift_period"])
        if model["throttle"]:
            start, stop, factor = model["throttle"]
            logs += np.log(factor) * ((rounds >= start) & (rounds < stop))
    return logs


def level_of_a_process(random, model):
    """process_logs() of one process, drawn from a random.Random."""
    model = complete(model)
    level = model["between"] * random.gauss(0, 1)
    return level + model["mode_gap"] if model["second_mode"] and random.random() < model["second_mode"] else level


def rounds_of_a_process(random, count, model, first=0):
    """round_logs() of one process, drawn from a random.Random."""
    model, logs = complete(model), []
    start, stop, factor = model["throttle"] or (0, 0, 1)
    for number in range(first, first + count):
        log = model["within"] * random.gauss(0, 1)
        if model["tail"] and random.random() < model["tail"]:
            log += model["tail_size"] * random.expovariate(1)
        log += model["drift"] * math.sin(2 * math.pi * number / model["drift_period"])
        logs.append(log + math.log(factor) if start <= number < stop else log)
    return logs


def factors(rng, count, model, first=0):
    """Factors of a process's rounds; for many processes `count` is a shape whose last axis are rounds."""
    import numpy as np
    shape = (count,) if np.isscalar(count) else tuple(count)
    return np.exp(process_logs(rng, shape[:-1], model)[..., None] + round_logs(rng, shape, model, first))
