"""What the paper reads from nvprof, and today's names of it in Nsight Compute (compute capability 7.5 and later).

A counter has alternatives: the first that a report holds is taken. `scale` multiplies the number as ncu prints it in
base units (bytes, nanoseconds, percent).
"""
from collections import namedtuple

# key: our name. paper: the paper's name (Table I). nvprof: its event or metric. ncu: alternatives. note: what differs.
Counter = namedtuple("Counter", "key paper nvprof ncu scale note")


def counter(key, paper, nvprof, *ncu, scale=1.0, note=""):
    return Counter(key, paper, nvprof, ncu, scale, note)


COUNTERS = [
    # ---- the launch: known without permission for counters
    counter("block", "block_size", "trace mode", "launch__block_size"),
    counter("grid", "grid_size", "trace mode", "launch__grid_size"),
    counter("registers", "#registers", "trace mode", "launch__registers_per_thread"),
    counter("static_shared", "Static_SMem", "trace mode", "launch__shared_mem_per_block_static"),
    counter("dynamic_shared", "Dynamic_SMem", "trace mode", "launch__shared_mem_per_block_dynamic"),
    counter("threads", "threads_launched", "threads_launched", "launch__thread_count", "smsp__threads_launched.sum"),
    counter("multiprocessors", "#SM", "device", "launch__sm_count", "device__attribute_multiprocessor_count"),
    # ---- time
    counter("nanoseconds", "kernel_time", "trace mode", "gpu__time_duration.sum", "gpu__time_duration.avg",
            "gpu__time_active.sum"),
    counter("cycles", "kernel_time", "elapsed_cycles_sm", "sm__cycles_elapsed.max", "sm__cycles_elapsed.avg"),
    # ---- warps
    counter("warps", "warps_launched", "warps_launched", "smsp__warps_launched.sum", "sm__warps_launched.sum"),
    counter("active_warps", "active_warps / total_warps", "achieved_occupancy",
            "sm__warps_active.avg.pct_of_peak_sustained_elapsed", scale=0.01,
            note="of all cycles: idle multiprocessors count as 0; nvprof divided by the active cycles"),
    counter("achieved", "active_warps / total_warps", "achieved_occupancy",
            "sm__warps_active.avg.pct_of_peak_sustained_active", scale=0.01),
    counter("warps_mean", "active_warps of each SM", "active_warps", "sm__warps_active.avg"),
    counter("warps_most", "active_warps of each SM", "active_warps", "sm__warps_active.max"),
    counter("threads_per_instruction", "-", "warp_execution_efficiency",
            "smsp__thread_inst_executed_per_inst_executed.ratio"),
    counter("instructions", "-", "inst_executed", "smsp__inst_executed.sum", "sm__inst_executed.sum"),
    # ---- synchronisation
    counter("barrier", "stall_sync", "stall_sync", "smsp__warp_issue_stalled_barrier_per_warp_active.pct", scale=0.01,
            note="reports.py prefers the share of all stall reasons, from smsp__average_warps_issue_stalled_*"),
    # ---- arithmetic, by thread
    counter("int_instructions", "Int_instr", "inst_integer",
            "smsp__sass_thread_inst_executed_op_integer_pred_on.sum"),
    counter("sp_instructions", "SP_instr", "inst_fp_32", "smsp__sass_thread_inst_executed_op_fp32_pred_on.sum"),
    counter("dp_instructions", "DP_instr", "inst_fp_64", "smsp__sass_thread_inst_executed_op_fp64_pred_on.sum"),
    # ---- memory, instructions of warps
    counter("shared_loads", "shared_accesses", "shared_load", "smsp__inst_executed_op_shared_ld.sum",
            "smsp__sass_inst_executed_op_shared_ld.sum"),
    counter("shared_stores", "shared_accesses", "shared_store", "smsp__inst_executed_op_shared_st.sum",
            "smsp__sass_inst_executed_op_shared_st.sum"),
    counter("local_loads", "local_accesses", "local_load", "smsp__inst_executed_op_local_ld.sum",
            "smsp__sass_inst_executed_op_local_ld.sum"),
    counter("local_stores", "local_accesses", "local_store", "smsp__inst_executed_op_local_st.sum",
            "smsp__sass_inst_executed_op_local_st.sum"),
    counter("texture_loads", "texture_accesses", "tex0_cache_sector_queries", "smsp__inst_executed_op_texture.sum",
            note="requests, not sectors; ld.global.nc is a global load since compute capability 7.0"),
    counter("global_loads", "global_accesses", "gld_request", "smsp__inst_executed_op_global_ld.sum",
            "smsp__sass_inst_executed_op_global_ld.sum"),
    counter("global_stores", "global_accesses", "gst_request", "smsp__inst_executed_op_global_st.sum",
            "smsp__sass_inst_executed_op_global_st.sum"),
    # ---- memory, bytes
    counter("shared_wavefronts", "-", "shared_ld_transactions + shared_st_transactions",
            "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", note="up to 128 bytes each; bank conflicts add some"),
    counter("l2_to_sm_bytes", "-", "l2_tex_read_transactions", "l1tex__m_xbar2l1tex_read_bytes.sum",
            note="bulk copies (9.0 and later) and cp.async (8.0 and later) are in it"),
    counter("sm_to_l2_bytes", "-", "l2_tex_write_transactions", "l1tex__m_l1tex2xbar_write_bytes.sum"),
    counter("bulk_bytes", "-", "-", "l1tex__m_xbar2l1tex_read_bytes_mem_global_op_tma_ld.sum",
            note="compute capability 9.0 and later"),
    counter("dram_bytes", "DRAM_transactions", "dram_read_transactions + dram_write_transactions", "dram__bytes.sum",
            note="bytes; nvprof counted transactions of 32 bytes"),
    counter("dram_share", "DRAM_transactions / Available_mem_throughput", "dram_utilization",
            "dram__bytes.sum.pct_of_peak_sustained_elapsed", "dram__throughput.avg.pct_of_peak_sustained_elapsed",
            "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed", scale=0.01),
    counter("load_sectors", "-", "gld_transactions_per_request",
            "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio",
            note="4 where lanes of 4 bytes are neighbours, 16 where those of 16 bytes are, 32 at worst"),
    counter("store_sectors", "-", "gst_transactions_per_request",
            "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_st.ratio"),
    counter("l2_hits", "-", "l2_tex_hit_rate", "lts__t_sector_hit_rate.pct", scale=0.01),
]
BY_KEY = {row.key: row for row in COUNTERS}

# Nsight Compute has no counter for these.
NO_SUCCESSOR = {
    "cuda_copy_size, cuda_copy_start_time, cuda_copy_time":
        "trace mode of nvprof. Nsight Systems traces copies; Nsight Compute sees kernels only, so gp_bench --transfers "
        "times copies beside calls",
    "kernel_start_time": "trace mode of nvprof. The gaps between kernels come from gp_bench's time of a call less the "
                         "kernels' times",
    "arithmetic_throughput": "computed: multiprocessors x cycles x 128 thread instructions (four schedulers of 32 "
                             "lanes, every compute capability from 7.5 on)",
    "Available_mem_throughput": "part of the percentage that dram__bytes.sum.pct_of_peak_sustained_elapsed is",
}

# Sections of ncu: they name each chip's own metrics of launch, occupancy and stall reasons, whatever ncu's version.
SECTIONS = ["LaunchStats", "Occupancy", "WarpStateStats"]
STALL_PREFIX, STALL_SUFFIX = "smsp__average_warps_issue_stalled_", "_per_issue_active.ratio"
# Counters of the default criteria. A profiler replays a kernel once for each group of metrics, so fewer take less time.
OF_CRITERIA = {"nanoseconds", "cycles", "active_warps", "threads_per_instruction", "barrier", "int_instructions",
               "sp_instructions", "dp_instructions", "shared_wavefronts", "l2_to_sm_bytes", "sm_to_l2_bytes",
               "dram_share"}
SECTIONS_OF_CRITERIA = ["LaunchStats"]
ISSUE_LANES = 128  # thread instructions a cycle of a multiprocessor: 4 schedulers of 32 lanes, 7.5 to 12.x


def is_known(name, known):
    """Metrics of SASS instructions are a list of their own in some versions of ncu, so they are asked for unseen."""
    return not known or name.split(".")[0] in known or "__sass_" in name


def requested(known=None, keys=None):
    """(metrics to ask ncu for, those that the chip lacks). `known`: base names that the chip has (ncu --query-metrics),
    or None: all alternatives then. `keys`: of these counters alone. The section LaunchStats has the metrics of the
    launch."""
    asked, lacking = [], []
    for row in COUNTERS:
        if not row.ncu[0].startswith("launch__") and (keys is None or row.key in keys):
            there = [name for name in row.ncu if is_known(name, known)]
            asked += there[:1] if known else there
            lacking += [] if there else [row.ncu[0]]
    return asked, lacking


def counters_of(raw):
    """{key: number} of a kernel's {ncu's name: number in base units}; a counter that the report lacks is missing."""
    found = {}
    for row in COUNTERS:
        for name in row.ncu:
            if raw.get(name) is not None:
                found[row.key] = raw[name] * row.scale
                break
    stalls = stall_shares(raw)
    if stalls:
        found["barrier"] = stalls.get("barrier", 0.0)
        found["stalls"] = stalls
    return found


def stall_shares(raw):
    """{reason: its share of the cycles of resident warps}; empty if the report has none. `selected` is a warp that
    issues."""
    found = {name[len(STALL_PREFIX):-len(STALL_SUFFIX)]: value for name, value in raw.items()
             if name.startswith(STALL_PREFIX) and name.endswith(STALL_SUFFIX) and value is not None
             and "not_issued" not in name}
    total = sum(found.values())
    return {reason: value / total for reason, value in found.items()} if total > 0 else {}


def table():
    """Markdown rows of docs/quality.md."""
    rows = ["| paper | nvprof | Nsight Compute | differs |", "|---|---|---|---|"]
    for row in COUNTERS:
        names = ", else ".join(f"`{name}`" for name in row.ncu)
        rows.append(f"| {row.paper} | {row.nvprof} | {names} | {row.note} |")
    rows += [f"| {name} | - | none | {why} |" for name, why in NO_SUCCESSOR.items()]
    return "\n".join(rows).replace("| - |", "| |").replace("| - |", "| |")
