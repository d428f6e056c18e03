// tile_auction.cu - kernels of your own that sort on chip: the bids of an auction, one auction a block. The three
// highest bids, all bids from the highest down, the median, and the bids country by country.
//
//     nvcc -O3 -std=c++17 -arch=native -I. examples/tile_auction.cu -o tile_auction && ./tile_auction
#include "gpuprims.h"

#include <algorithm>
#include <cstdio>
#include <vector>

constexpr int THREADS = 64, ITEMS = 4, BIDS = THREADS * ITEMS, AUCTIONS = 3, BEST = 3;

struct bid {
  float price;
  unsigned second; // of the auction; the earlier one of equal bids wins
};

union auction_storage {
  gp_tile_top_k_storage<THREADS, ITEMS, float, unsigned> top;
  gp_tile_merge_sort_storage<THREADS, ITEMS, bid, unsigned> order;
  gp_tile_radix_sort_storage<THREADS, ITEMS, float> prices;
};

// An auction has counts[auction] bids, at most BIDS.
__global__ void results(
    const bid *bids, const unsigned *counts, unsigned *best, bid *ordered, unsigned *bidders, float *median) {
  GP_SHARED(auction_storage, s);
  const unsigned first = blockIdx.x * BIDS, count = counts[blockIdx.x];
  bid b[ITEMS];
  float price[ITEMS];
  unsigned bidder[ITEMS];
  gp_tile_load_direct(b, bids + first, count, bid{-1, 0});
  for (int i = 0; i < ITEMS; ++i) price[i] = b[i].price;

  // The highest prices and who offered them, in the order of the bids: no sort.
  for (int i = 0; i < ITEMS; ++i) bidder[i] = threadIdx.x * ITEMS + unsigned(i);
  gp_tile_top_k_pairs<THREADS, true>(price, bidder, count < BEST ? count : BEST, s.top, count);
  gp_tile_store_direct(bidder, best + blockIdx.x * BEST, count < BEST ? count : BEST);
  __syncthreads();

  // All bids, by two fields in opposite directions; a bid's bidder goes with it.
  for (int i = 0; i < ITEMS; ++i) bidder[i] = threadIdx.x * ITEMS + unsigned(i);
  for (int i = 0; i < ITEMS; ++i) price[i] = b[i].price;
  gp_tile_merge_sort_pairs<THREADS>(
      b, bidder,
      [](const bid &x, const bid &y) { return x.price > y.price || (x.price == y.price && x.second < y.second); },
      s.order, count);
  gp_tile_store_direct(b, ordered + first, count);
  gp_tile_store_direct(bidder, bidders + first, count);
  __syncthreads();

  // Prices alone, by their bits. What fills up the tile is below every price.
  gp_tile_radix_sort<THREADS>(price, s.prices);
  for (int i = 0; i < ITEMS; ++i)
    if (threadIdx.x * ITEMS + unsigned(i) == BIDS - count + count / 2) median[blockIdx.x] = price[i];
}

// Bids country by country, in order of time within a country. A country is a number below 256.
struct country_storage {
  gp_tile_rank_storage<THREADS> rank;
  gp_tile_exchange_storage<THREADS, ITEMS, float> exchange;
};
__global__ void by_country(const float *prices, const unsigned char *country, float *out) {
  GP_SHARED(country_storage, s);
  const unsigned first = blockIdx.x * BIDS;
  float price[ITEMS];
  unsigned char of[ITEMS];
  unsigned rank[ITEMS];
  gp_tile_load<THREADS, GP_WARP_STRIPED>(price, prices + first, BIDS, 0.0f);
  for (int i = 0; i < ITEMS; ++i) of[i] = country[first + gp_tile_warp_striped<ITEMS>(i)]; // as the line above does it
  gp_tile_rank<THREADS>(
      rank, of, [](unsigned char c, int) { return unsigned(c); }, s.rank);
  gp_tile_scatter<THREADS, GP_STRIPED>(price, rank, s.exchange);
  gp_tile_store_striped<THREADS>(price, out + first, BIDS);
}

template<class T> static T *managed(unsigned count) {
  T *pointer = nullptr;
  if (cudaMallocManaged(&pointer, count * sizeof(T)) != cudaSuccess) std::printf("no memory\n");
  return pointer;
}

int main() {
  int devices = 0, wrong = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::printf("skipped: no GPU\n");
    return 0;
  }
  constexpr unsigned ALL = AUCTIONS * BIDS;
  bid *bids = managed<bid>(ALL), *ordered = managed<bid>(ALL);
  unsigned *counts = managed<unsigned>(AUCTIONS), *best = managed<unsigned>(AUCTIONS * BEST);
  unsigned *bidders = managed<unsigned>(ALL);
  float *prices = managed<float>(ALL), *sorted = managed<float>(ALL), *median = managed<float>(AUCTIONS);
  unsigned char *country = managed<unsigned char>(ALL);
  for (unsigned i = 0; i < ALL; ++i) {
    prices[i] = float(i * 2654435761u >> 25) + 1; // many are equal
    bids[i] = {prices[i], i % 50};
    country[i] = (unsigned char)(i * 40503u % 199);
  }
  counts[0] = BIDS, counts[1] = 200, counts[2] = 5;

  results<<<AUCTIONS, THREADS>>>(bids, counts, best, ordered, bidders, median);
  by_country<<<AUCTIONS, THREADS>>>(prices, country, sorted);
  wrong += cudaDeviceSynchronize() != cudaSuccess;

  for (unsigned a = 0; a < AUCTIONS; ++a) {
    const bid *of = bids + a * BIDS;
    std::vector<unsigned> order(counts[a]), all(BIDS);
    for (unsigned i = 0; i < counts[a]; ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(), [of](unsigned i, unsigned j) { return of[i].price > of[j].price; });
    std::sort(order.begin(), order.begin() + BEST); // of equal prices the first bids, and these as they came
    for (unsigned i = 0; i < BEST; ++i) wrong += best[a * BEST + i] != order[i];
    for (unsigned i = 0; i < counts[a]; ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(), [of](unsigned i, unsigned j) {
      return of[i].price > of[j].price || (of[i].price == of[j].price && of[i].second < of[j].second);
    });
    for (unsigned i = 0; i < counts[a]; ++i)
      wrong += bidders[a * BIDS + i] != order[i] || ordered[a * BIDS + i].price != of[order[i]].price;
    wrong += median[a] != of[order[counts[a] - 1 - counts[a] / 2]].price;
    for (unsigned i = 0; i < BIDS; ++i) all[i] = a * BIDS + i;
    std::stable_sort(all.begin(), all.end(), [country](unsigned i, unsigned j) { return country[i] < country[j]; });
    for (unsigned i = 0; i < BIDS; ++i) wrong += sorted[a * BIDS + i] != prices[all[i]];
  }
  std::printf("%d auctions; the first was won at %.0f, its median is %.0f; %d faults\n", AUCTIONS, ordered[0].price,
      median[0], wrong);
  for (void *pointer : {(void *)bids, (void *)ordered, (void *)counts, (void *)best, (void *)bidders, (void *)prices,
           (void *)sorted, (void *)median, (void *)country})
    cudaFree(pointer);
  return wrong != 0;
}
