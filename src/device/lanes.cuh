// device/lanes.cuh - earlier lanes, teams of lanes, tickets that a warp draws together
// uses: core/words.h, device/vocabulary.cuh, device/warp.cuh

// Set lanes of a mask below this one, and their count.
GP_DEVICE gp__u32 gp__earlier_lanes(gp__u32 lanes) { return lanes & ((1u << gp_lane()) - 1); }
GP_DEVICE gp__u32 gp__lanes_before(gp__u32 lanes) { return gp__u32(__popc(gp__earlier_lanes(lanes))); }
// The newest mark, a number that is not 0, of the lanes before this one; `open` if they have none. open becomes the
// newest of the warp's. All lanes call.
GP_DEVICE gp__u32 gp__earlier_mark(gp__u32 mark, gp__u32 &open) {
  const gp__u32 lanes = __ballot_sync(~0u, mark != 0), earlier = gp__earlier_lanes(lanes);
  gp__u32 newest = __shfl_sync(~0u, mark, earlier ? 31 - __clz(int(earlier)) : 0);
  if (!earlier) newest = open;
  if (lanes) open = __shfl_sync(~0u, mark, 31 - __clz(int(lanes)));
  return newest;
}
// Teams of neighbouring lanes for 1 to 32 things: each team has as many lanes as fit, a power of two.
struct gp__lane_team {
  unsigned width, number, rank; // lanes of a team; this lane's team, and its rank in it
  GP_DEVICE explicit gp__lane_team(unsigned things) : width(1) {
    while (2 * width * things <= 32) width *= 2;
    number = gp_lane() / width, rank = gp_lane() & (width - 1);
  }
  // This team's bits of a mask of the warp's lanes, the first lane's at bit 0.
  GP_DEVICE gp__u32 of(gp__u32 lanes) const {
    return lanes >> number * width & (width == 32 ? ~0u : (1u << width) - 1);
  }
  // The lane of the first set bit; the team's first lane if none is set.
  GP_DEVICE unsigned first(gp__u32 mine) const { return number * width + (mine ? unsigned(__ffs(int(mine))) - 1u : 0); }
};
// All lanes of a warp call. Lanes with `wants` draw consecutive numbers, in lane order, from a counter in shared memory
// by one atomic. `end` becomes one past the warp's last number; it is unchanged if no lane wants one.
GP_DEVICE gp__u32 gp__warp_draw(gp__u32 *counter, bool wants, gp__u32 &end) {
  const gp__u32 lanes = __ballot_sync(~0u, wants);
  if (lanes == 0) return 0;
  const gp__u32 count = gp__u32(__popc(lanes));
  gp__u32 first = 0;
  if (!gp_lane()) first = atomicAdd(counter, count);
  first = __shfl_sync(~0u, first, 0);
  end = first + count;
  return first + gp__lanes_before(lanes);
}
