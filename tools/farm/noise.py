"""Noise of measurements, made up: what the synthetic worker multiplies its times with, and what the tests of the
statistics are fed with.

Times of a GPU are not a mean and a bell curve. (1) A process has a level of its own, because its memory lies at other
physical addresses and its clocks settle otherwise; rounds within it agree better than processes do (Kalibera and Jones,
Rigorous Benchmarking in Reasonable Time, ISMM 2013). That is `between`, log-normal, since such effects multiply. (2)
Rounds scatter about that level, log-normal too (`within`), and now and then something else runs: such a round is only
ever slower, sometimes much. Its excess is exponential in the logarithm, so the factor has a Pareto's heavy tail
(`tail`: how often; `tail_size`: mean log excess). (3) Some cells have two modes: all of a process runs at one speed or
at the other (`second_mode`: how often; `mode_gap`: log distance). (4) Rooms warm up: a slow wave over the rounds since
the machine started measuring (`drift`: amplitude; `drift_period`: rounds), the same for all that is measured at that
time. (5) Throttling: all rounds of a window are slower by a factor (`throttle`: [first round, round after the last,
factor]).

All is drawn from the generator that is passed in: equal seeds give equal noise. Nights of noise are arrays of NumPy's.
The made-up worker measures one process, round by round, and is started hundreds of times: its noise is drawn from
Python's own random numbers, and it need not import NumPy.
"""
import math

# Sizes as logarithms: 0.01 is one per cent. Nothing else is a key of a model.
QUIET = {"between": 0.0, "within": 0.0, "tail": 0.0, "tail_size": 0.0, "second_mode": 0.0, "mode_gap": 0.0,
         "drift": 0.0, "drift_period": 10000.0, "throttle": None}
# One per cent between processes, as on a data centre's GPU that is not shared.
TYPICAL = {**QUIET, "between": 0.01, "within": 0.004, "tail": 0.03, "tail_size": 0.05}


def complete(model):
    """The model with every key; one that is not known is an error, for a misspelt key would be silence."""
    unknown = sorted(set(model) - set(QUIET))
    if unknown:
        raise ValueError(f"noise model: no key {', '.join(unknown)}; there are {', '.join(sorted(QUIET))}")
    return {**QUIET, **model}


def process_logs(rng, shape, model):
    """Logarithms of processes' levels: an array of `shape`, one element a process."""
    model = complete(model)
    logs = model["between"] * rng.standard_normal(shape)
    if model["second_mode"]:
        logs += model["mode_gap"] * (rng.random(shape) < model["second_mode"])
    return logs


def round_logs(rng, shape, model, first=0):
    """Logarithms of what rounds add to their process's level; the last axis of `shape` are rounds, and `first` is the
    number of the first of them since the machine started measuring (a number, or an array of the other axes)."""
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
    """Factors of the rounds of a process; of many processes where `count` is a shape whose last axis are rounds."""
    import numpy as np
    shape = (count,) if np.isscalar(count) else tuple(count)
    return np.exp(process_logs(rng, shape[:-1], model)[..., None] + round_logs(rng, shape, model, first))
