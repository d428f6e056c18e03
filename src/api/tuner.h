// api/tuner.h - how a tuner searches

typedef enum gp_tuner_search {
  GP_SEARCH_AUTO = 0,        // the one that needed the fewest measurements
  GP_SEARCH_SIMPLEX = 1,     // Nelder and Mead's simplex on the lattice of values
  GP_SEARCH_RANDOM = 2,      // values at random, each configuration at most once
  GP_SEARCH_COORDINATES = 3, // one parameter after the other
  GP_SEARCH_EXHAUSTIVE = 4,  // every configuration, in a random order
  GP_SEARCH_SURROGATE = 5    // where a model of the times so far expects the least
} gp_tuner_search;
