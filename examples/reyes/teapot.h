// teapot.h - the Utah teapot: 32 Bezier patches (Martin Newell, 1975). The numbers are public data.
//
// The rim, the body, the lid and the bottom are surfaces of revolution: a profile of four (radius, height) a patch,
// turned through four quarters. The handle and the spout are tubes of two patches each: seven cross-sections, of which
// neighbours share the fourth, and a mirror image.
#ifndef EXAMPLES_TEAPOT_H
#define EXAMPLES_TEAPOT_H

enum { TEAPOT_PATCHES = 32 };

// pot[patch][4 * row + column][x, y, z]; z is up.
static inline void teapot_make(float pot[TEAPOT_PATCHES][16][3]) {
  static const float profile[6][4][2] = {{{1.4f, 2.4f}, {1.3375f, 2.53125f}, {1.4375f, 2.53125f}, {1.5f, 2.4f}},
      {{1.5f, 2.4f}, {1.75f, 1.875f}, {2, 1.35f}, {2, 0.9f}}, {{2, 0.9f}, {2, 0.45f}, {1.5f, 0.225f}, {1.5f, 0.15f}},
      {{0, 3.15f}, {0.8f, 3.15f}, {0, 2.85f}, {0.2f, 2.7f}}, {{0.2f, 2.7f}, {0.4f, 2.55f}, {1.3f, 2.55f}, {1.3f, 2.4f}},
      {{0, 0}, {1.425f, 0}, {1.5f, 0.075f}, {1.5f, 0.15f}}};
  // A cross-section: x and z of its two points in the plane of symmetry; half its width.
  static const float tube[2][7][5] = {
      {{-1.6f, 2.025f, -1.5f, 2.25f, 0.3f}, {-2.3f, 2.025f, -2.5f, 2.25f, 0.3f}, {-2.7f, 2.025f, -3, 2.25f, 0.3f},
          {-2.7f, 1.8f, -3, 1.8f, 0.3f}, {-2.7f, 1.575f, -3, 1.35f, 0.3f}, {-2.5f, 1.125f, -2.65f, 0.9375f, 0.3f},
          {-2, 0.9f, -1.9f, 0.6f, 0.3f}},
      {{1.7f, 1.425f, 1.7f, 0.6f, 0.66f}, {2.6f, 1.425f, 3.1f, 0.825f, 0.66f}, {2.3f, 2.1f, 2.4f, 2.025f, 0.25f},
          {2.7f, 2.4f, 3.3f, 2.4f, 0.25f}, {2.8f, 2.475f, 3.525f, 2.49375f, 0.25f},
          {2.9f, 2.475f, 3.45f, 2.5125f, 0.15f}, {2.8f, 2.4f, 3.2f, 2.4f, 0.15f}}};
  int patch = 0, part, quarter, side, half, row, column;
  for (part = 0; part < 6; ++part)
    for (quarter = 0; quarter < 4; ++quarter, ++patch)
      for (row = 0; row < 4; ++row) {
        const float radius = profile[part][row][0], height = profile[part][row][1];
        // Newell rounded the lid's to two places.
        const float near_axis = part == 3 ? (row == 1 ? 0.45f : 0.56f * radius) : 0.56f * radius;
        const float quarter_x[4] = {radius, radius, near_axis, 0}, quarter_y[4] = {0, near_axis, radius, radius};
        for (column = 0; column < 4; ++column) {
          const float x = quarter_x[column], y = quarter_y[column];
          float *to = pot[patch][4 * row + column];
          to[0] = quarter == 0 ? x : quarter == 1 ? -y : quarter == 2 ? -x : y;
          to[1] = quarter == 0 ? y : quarter == 1 ? x : quarter == 2 ? -y : -x;
          to[2] = height;
        }
      }
  for (part = 0; part < 2; ++part)
    for (half = 0; half < 2; ++half)
      for (side = -1; side <= 1; side += 2, ++patch)
        for (row = 0; row < 4; ++row)
          for (column = 0; column < 4; ++column) {
            const float *section = tube[part][3 * half + row];
            float *to = pot[patch][4 * row + column];
            to[0] = section[column / 2 * 2];
            to[1] = column == 1 || column == 2 ? (float)side * section[4] : 0;
            to[2] = section[column / 2 * 2 + 1];
          }
}

#endif
