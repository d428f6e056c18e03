#!/bin/sh
# Variants of searches and gathers on a GPU: times by gp_bench, beside the peers. Usage: variants.sh GP_BENCH OUT.jsonl
set -eu
bench=$1 out=$2

# Searches. blocks_per_sm=4: a thread has all its sectors on their way; 8: one, in fewer registers, so that more blocks
# are resident. vectors: needles of a thread.
"$bench" --out "$out" --peers thrust --seconds 150 \
  --cell "lower_bound u32 n=16M" --cell "lower_bound u32 n=16M dist=sorted" \
  --cell "lower_bound u32 n=1M" --cell "lower_bound u32 n=1M dist=sorted" \
  --cell "lower_bound u32 n=1M haystack=65536" --cell "lower_bound u32 n=16M haystack=16M" \
  --cell "lower_bound u32 n=64M haystack=64M dist=sorted" --cell "upper_bound u64 n=4M haystack=300000" \
  --policy blocks_per_sm=8 --policy vectors=2,blocks_per_sm=8 --policy threads=512,blocks_per_sm=4

# Small arrays, as searchsorted has them: few needles for each multiprocessor.
"$bench" --out "$out" --peers thrust --seconds 90 \
  --cell "lower_bound u32 n=1024 haystack=1024 out=u64" --cell "lower_bound u32 n=8192 haystack=8192 out=u64" \
  --cell "lower_bound u32 n=65536 haystack=65536 out=u64" --cell "lower_bound u32 n=512K haystack=512K out=u64" \
  --cell "lower_bound f32 n=8192 haystack=8192 dist=sorted out=u64" \
  --policy threads=128 --policy threads=128,blocks_per_sm=8 --policy threads=512

# Gathers by random indices. load=STREAMING: indices leave the L2 cache before elements; blocks_per_sm: fewer loads on
# their way.
"$bench" --out "$out" --peers thrust --seconds 90 \
  --cell "gather u32 n=64M" --cell "gather u32 n=1M" --cell "gather u64 n=64M" \
  --policy load=STREAMING,store=STREAMING --policy load=L2,store=STREAMING --policy threads=128 \
  --policy blocks_per_sm=2 --policy blocks_per_sm=4
