// device/warp_groups.cuh - groups of lanes: reduce, scan
// uses: core/words.h, device/vocabulary.cuh, device/warp.cuh

// A warp in groups of LANES neighbouring lanes (logical warps), 1 to 32. If LANES does not divide 32, the lanes that
// are left are the last group. All lanes of the warp call. No storage, no
// barrier. op(a, b) is associative, a lambda for example; a is of earlier lanes, so op need not commute.

// The value of lane `source` of the group, in all its lanes. A scan's total is the inclusive result of the last lane.
template<int LANES, class T> GP_DEVICE T gp_warp_group_broadcast(const T &value, unsigned source) {
  return gp_warp_broadcast(value, int(gp_lane() / LANES * LANES + source));
}
// Folds a lane's value and those of later lanes below `end`.
template<int LANES, class T, class Op> GP_DEVICE T gp__fold_lanes(T value, const Op &op, unsigned end) {
  static_assert(LANES >= 1 && LANES <= 32, "1 to 32 lanes");
  GP__UNROLL
  for (unsigned d = 1; d < LANES; d *= 2) {
    const T later = gp_warp_shift_down(value, d);
    if (gp_lane() + d < end) value = op(value, later);
  }
  return value;
}
// value[0] op value[1] op ... over the first `count` lanes of the group, at least one. The group's lane 0 holds the
// result, other lanes hold partial results.
template<int LANES, class T, class Op>
GP_DEVICE T gp_warp_group_reduce(const T &value, const Op &op, unsigned count = LANES) {
  const unsigned end = gp_lane() / LANES * LANES + (count < LANES ? count : LANES);
  return gp__fold_lanes<LANES>(value, op, end < 32 ? end : 32);
}
// A group's lanes form runs, which begin at its first lane and at every lane with `head`. The first lane of each run
// holds the fold of the run's values.
template<int LANES, class T, class Op> GP_DEVICE T gp_warp_group_reduce_heads(const T &value, bool head, const Op &op) {
  const gp__u32 heads = __ballot_sync(~0u, head || gp_lane() % LANES == 0) & ~1u << gp_lane();
  return gp__fold_lanes<LANES>(value, op, heads ? unsigned(__ffs(int(heads))) - 1 : 32);
}
// The same for runs that end at every lane with `tail`, and at the group's last lane. The first lane holds the result.
template<int LANES, class T, class Op> GP_DEVICE T gp_warp_group_reduce_tails(const T &value, bool tail, const Op &op) {
  const gp__u32 tails = __ballot_sync(~0u, tail);
  return gp_warp_group_reduce_heads<LANES>(value, (tails << 1 >> gp_lane() & 1u) != 0, op);
}
// Folds COUNT arrays at once, with few shuffles; each lane has a value of each. Lane i holds the fold of values[i],
// i < COUNT. COUNT <= LANES, a power of two.
template<int LANES, int COUNT, class T, class Op>
GP_DEVICE T gp_warp_group_reduce_batch(const T (&values)[COUNT], const Op &op) {
  static_assert(32 % LANES == 0 && COUNT <= LANES, "a result a lane, of 1, 2, 4, 8, 16 or 32 lanes");
  T v[COUNT];
  int left = COUNT;
  GP__EACH(j, COUNT) v[j] = values[j];
  GP__UNROLL
  for (int d = 1; d < LANES; d *= 2) { // a lane keeps every other value, its partner the rest
    const bool upper = (gp_lane() & unsigned(d)) != 0;
    GP__EACH(j, (COUNT + 1) / 2) {
      if (2 * j >= left) continue;
      const T even = v[2 * j], odd = v[2 * j + 1 < left ? 2 * j + 1 : 2 * j];
      const T mine = upper ? odd : even, other = gp_warp_exchange(upper ? even : odd, d);
      v[j] = upper ? op(other, mine) : op(mine, other);
    }
    left = (left + 1) / 2;
  }
  return v[0];
}
// Lane i of the group gets value[0] op ... op value[i].
template<int LANES, class T, class Op> GP_DEVICE T gp_warp_group_inclusive_scan(T value, const Op &op) {
  GP__UNROLL
  for (unsigned d = 1; d < LANES; d *= 2) {
    const T before = gp_warp_shift_up(value, d);
    if (gp_lane() % LANES >= d) value = op(before, value);
  }
  return value;
}
// Lane i of the group gets initial op value[0] op ... op value[i - 1].
template<int LANES, class T, class Op>
GP_DEVICE T gp_warp_group_exclusive_scan(const T &value, const Op &op, const T &initial) {
  const bool first = gp_lane() % LANES == 0;
  const T before = gp_warp_shift_up(gp_warp_group_inclusive_scan<LANES>(first ? op(initial, value) : value, op), 1);
  return first ? initial : before;
}
