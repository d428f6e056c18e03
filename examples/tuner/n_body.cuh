// n_body.cuh - the kernels of n_body.c: a step of all-pairs gravity, and its energy. The block size is read from the
// launch, a multiple of 32; N_BODY_UNROLL is a macro: the interactions that a turn of the inner loop has, a divisor of
// 32. G is 1. (The loop over tiles of bodies: Nyland, Harris and Prins, Fast N-Body Simulation with CUDA, GPU Gems 3,
// 2007. The code is our own.)

#ifdef SIMT_H // the tests compile each degree of unrolling in a namespace of its own
#define N_BODY_KERNEL static __global__ void __launch_bounds__(1024)
#define N_BODY_DYNAMIC(T, name) SIMT_DYN_SHARED(T, name)
#define N_BODY_RSQRT(x) (1 / sqrtf(x))
#else
#define N_BODY_KERNEL extern "C" __global__ void __launch_bounds__(1024)
#define N_BODY_DYNAMIC(T, name) extern __shared__ T name[]
#define N_BODY_RSQRT(x) rsqrtf(x)
#endif

struct alignas(16) n_body_vector {
  float x, y, z, w; // position: w is the mass; velocity: unused
};

// Acceleration, and the potential of unit mass, at a place.
struct n_body_field {
  float x, y, z, potential;
};

// The interactions with a tile of `count` bodies in shared memory. POTENTIAL is a constant: step leaves it out.
template<bool POTENTIAL>
static __device__ __forceinline__ void n_body_add(
    n_body_field &field, const n_body_vector &at, const n_body_vector *tile, unsigned count, float softening2) {
#pragma unroll 1
  for (unsigned k = 0; k < count; k += N_BODY_UNROLL) {
#pragma unroll
    for (unsigned u = 0; u < N_BODY_UNROLL; ++u) {
      const n_body_vector other = tile[k + u];
      const float x = other.x - at.x, y = other.y - at.y, z = other.z - at.z;
      const float inverse = N_BODY_RSQRT(x * x + y * y + z * z + softening2);
      const float pull = other.w * inverse, scale = pull * inverse * inverse;
      field.x += scale * x, field.y += scale * y, field.z += scale * z;
      if (POTENTIAL) field.potential -= pull;
    }
  }
}

// Loads bodies [first, first + blockDim.x) into the tile. Bodies past n have no mass.
static __device__ __forceinline__ void n_body_load(
    n_body_vector *tile, const n_body_vector *position, unsigned first, unsigned n) {
  const unsigned j = first + threadIdx.x;
  n_body_vector body = {0, 0, 0, 0};
  if (j < n) body = position[j];
  __syncthreads(); // the last tile is used up
  tile[threadIdx.x] = body;
  __syncthreads();
}

// velocity += kick * acceleration; position += drift * velocity. Dynamic shared memory: 16 bytes a thread.
N_BODY_KERNEL n_body_step(const n_body_vector *position, const n_body_vector *velocity, n_body_vector *new_position,
    n_body_vector *new_velocity, unsigned n, float softening2, float kick, float drift) {
  N_BODY_DYNAMIC(n_body_vector, tile);
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  n_body_vector at = {0, 0, 0, 0};
  n_body_field field = {0, 0, 0, 0};
  if (i < n) at = position[i];
  for (unsigned first = 0; first < n; first += blockDim.x) {
    n_body_load(tile, position, first, n);
    n_body_add<false>(field, at, tile, blockDim.x, softening2);
  }
  if (i >= n) return;
  n_body_vector v = velocity[i];
  v.x += kick * field.x, v.y += kick * field.y, v.z += kick * field.z;
  at.x += drift * v.x, at.y += drift * v.y, at.z += drift * v.z;
  new_velocity[i] = v;
  new_position[i] = at;
}

// energy[i]: kinetic energy of body i after a kick of its velocity, and half of its potential energy with all others.
N_BODY_KERNEL n_body_energy(const n_body_vector *position, const n_body_vector *velocity, double *energy, unsigned n,
    float softening2, float kick) {
  N_BODY_DYNAMIC(n_body_vector, tile);
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  n_body_vector at = {0, 0, 0, 0};
  n_body_field field = {0, 0, 0, 0};
  double potential = 0;
  if (i < n) at = position[i];
  for (unsigned first = 0; first < n; first += blockDim.x) {
    n_body_load(tile, position, first, n);
    field.potential = 0;
    n_body_add<true>(field, at, tile, blockDim.x, softening2);
    potential += double(field.potential);
  }
  if (i >= n) return;
  potential += double(at.w * N_BODY_RSQRT(softening2)); // the body itself is none of the others
  const n_body_vector v = velocity[i];
  const double x = double(v.x + kick * field.x), y = double(v.y + kick * field.y), z = double(v.z + kick * field.z);
  energy[i] = double(at.w) * 0.5 * (x * x + y * y + z * z + potential);
}
