// kernel.h - a user's kernel to be tuned (tools/gp_tune_kernel.h): its fields, its space, its host part.
#ifndef GP_TUNE_KERNEL_FILE_H
#define GP_TUNE_KERNEL_FILE_H

#include <stddef.h>

#include "../gp_tune_kernel.h"

enum { KERNEL_FIELDS = 16, KERNEL_VALUES = 32, KERNEL_NAME = 64 };

typedef struct kernel_field {
  char name[KERNEL_NAME];
  int count, usual; // usual: number of the value that is the default
  char text[KERNEL_VALUES][KERNEL_NAME]; // the values' text in the file,
  int value[KERNEL_VALUES]; // and their numbers
} kernel_field;

typedef struct kernel_file {
  const char *path;
  char *text; // of the whole file
  int count;
  kernel_field fields[KERNEL_FIELDS];
} kernel_file;

int kernel_is_layout(const kernel_field *f); // GP_LAYOUT_NAME: values are layouts, see gp_tune_layout

// The cell of problem size n: "kernel NAME n=COUNT protocol=NAME".
void kernel_cell(const gp_tune_kernel *kernel, uint64_t n, char *cell, size_t room);

// All three: NULL, or what is wrong, with file and line.
const char *kernel_read(const char *path, kernel_file *file);
const char *kernel_open(const kernel_file *file, const gp_tune_kernel **kernel); // compiles and loads the host part
// "MACRO=value,..." into the fields' numbers; "default" is every field's default.
const char *kernel_values(const kernel_file *file, const char *policy, int numbers[KERNEL_FIELDS]);

// The reverse; names every field.
void kernel_text(const kernel_file *file, const int numbers[KERNEL_FIELDS], char *policy, size_t room);

// Point `index` of the product of all values; 0: past the last point.
int kernel_point(const kernel_file *file, int index, char *policy, size_t room);

#endif
