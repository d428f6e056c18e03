// fast.c - calls on plain arrays: contiguous arrays of NumPy, contiguous tensors of PyTorch, all on one device
//
// bindings.py includes it in the extension. A call of the package first asks run() below, which takes a form (a
// gp_call to be completed, and where each array goes) and the arrays. Where an array is anything but plain, run()
// returns None and has done nothing: the package's own way in Python takes the call, with all checks and messages. So
// nothing here reports a caller's mistake.

#include <stddef.h>
#include <string.h>
#include <time.h>

enum { GPPY_DIMENSIONS = 8, GPPY_DEVICES = 64, GPPY_FORMS = 256, GPPY_ARRAYS = 3 };
enum gppy_library { GPPY_NUMPY, GPPY_TORCH, GPPY_LIBRARIES };

// The shape of a result. The first input has `size` elements in rows of its last dimension.
enum gppy_shape {
  GPPY_SAME, // that of the first input
  GPPY_LAST, // that of the last input
  GPPY_FLAT, // (size,)
  GPPY_NONE, // ()
  GPPY_ROWS, // that of the first input without its last dimension
  GPPY_KEPT, // that with `number` as the last dimension
  GPPY_NUMBER // (number,)
};
// A form's flags.
enum {
  GPPY_AXIS = 1, // it needs an axis
  GPPY_SIZED = 2, // the last result is how many elements the others have
  GPPY_BINS = 4, // `number` is the number of bins
  GPPY_NATURALS = 8, // and they are those of the integers from 0
  GPPY_UNSIGNED = 16, // the first input's integers are read as unsigned ones
  GPPY_WAITS = 32, // the last result is a word of host memory, for which the call waits
  GPPY_FLOATS = 64 // the first input is read as float64
};
// An input's size, type or shape may be those of the first one.
enum { GPPY_TYPE = 1, GPPY_SIZE = 2, GPPY_SHAPE = 4 };

// The members of gp_call for an array: their offsets, 0 for none. types: a bit for each gp_type that is taken. like:
// what it shares with the first input. element: of a result; 0: that of the first input, -1: that of its sum.
typedef struct {
  int data, type, count, like;
  unsigned types;
} gppy_in;
typedef struct {
  int data, type, element, shape;
} gppy_out;
typedef struct {
  gp_call call;
  int used, rows, inputs, outputs, flags; // rows: the form for the last of several dimensions, or -1
  gppy_in in[GPPY_ARRAYS];
  gppy_out out[GPPY_ARRAYS];
} gppy_form;

typedef struct {
  void *data;
  int type, library, device, dimensions, writable; // device: -1 is the host
  int64_t shape[GPPY_DIMENSIONS];
  uint64_t size;
} gppy_view;

// ---- what other libraries lay out: NumPy's array interface (its __array_struct__), and the tensor and the table of
// functions of DLPack 1 (__dlpack_c_exchange_api__)

typedef struct {
  int two, dimensions;
  char kind;
  int size, flags;
  Py_ssize_t *shape, *strides;
  void *data;
  PyObject *description;
} gppy_interface;
enum { GPPY_CONTIGUOUS = 0x1, GPPY_ALIGNED = 0x100, GPPY_NATIVE = 0x200, GPPY_WRITABLE = 0x400 };

typedef struct {
  void *data;
  int32_t device_type, device, dimensions;
  uint8_t code, bits;
  uint16_t lanes;
  int64_t *shape, *strides;
  uint64_t offset;
} gppy_tensor;
typedef struct {
  uint32_t major, minor;
  void *before;
  void (*allocate)(void), (*take)(void), (*give)(void);
  int (*look)(void *object, gppy_tensor *tensor);
  int (*stream)(int32_t device_type, int32_t device, void **stream);
} gppy_exchange;
enum { GPPY_HOST = 1, GPPY_CUDA = 2 };

// ---- what the package has said

static gppy_form gppy_forms[GPPY_FORMS];
static int gppy_form_count;
static gp_context *gppy_contexts[GPPY_LIBRARIES][GPPY_DEVICES + 1];
static PyObject *gppy_array_type[GPPY_LIBRARIES]; // numpy.ndarray, torch.Tensor
static PyObject *gppy_make[GPPY_LIBRARIES]; // numpy.empty, torch.empty
static PyObject *gppy_element_types[GPPY_LIBRARIES][GP_TYPE_COUNT];
static PyObject *gppy_makers[GP_TYPE_COUNT][GPPY_DEVICES + 1]; // new_empty of a tensor of no elements
static PyObject *gppy_scalars[GP_TYPE_COUNT][GPPY_DEVICES + 1]; // a tensor of no dimensions
static PyObject *gppy_like; // torch.empty_like
static const gppy_exchange *gppy_api;
static PyObject *gppy_struct_name, *gppy_grad_name, *gppy_neg_name, *gppy_device_name, *gppy_resize_name,
    *gppy_new_name, *gppy_empty, *gppy_error;
static const uint64_t gppy_zero[2];

// Words of page-locked host memory, a cache line each, that kernels write and the host polls. gppy_free: a bit for each
// one that no call uses; the GIL guards it. A word whose kernel may still write it, after an error, stays in use.
enum { GPPY_WORDS = 64, GPPY_WORD_STEP = 8 };
static uint64_t *gppy_words, gppy_free;
static PyObject *gppy_wait; // wait(device): returns when the current stream has done its work
static const uint64_t gppy_unwritten = UINT64_MAX;
enum { GPPY_POLL_NS = 200000 };

// ---- arrays

static int gppy_type_of(int kind, int size) {
  switch (kind) {
  case 'b': return size == 1 ? GP_BOOL : 0;
  case 'i': return size == 1 ? GP_I8 : size == 2 ? GP_I16 : size == 4 ? GP_I32 : size == 8 ? GP_I64 : 0;
  case 'u': return size == 1 ? GP_U8 : size == 2 ? GP_U16 : size == 4 ? GP_U32 : size == 8 ? GP_U64 : 0;
  case 'f': return size == 2 ? GP_F16 : size == 4 ? GP_F32 : size == 8 ? GP_F64 : 0;
  case 'B': return size == 2 ? GP_BF16 : 0;
  case 'e': return size == 1 ? GP_E4M3 : 0;
  case 'E': return size == 1 ? GP_E5M2 : 0;
  default: return 0;
  }
}

static int gppy_shaped(gppy_view *view, const int64_t *shape, int dimensions) {
  if (dimensions > GPPY_DIMENSIONS) return 0;
  view->dimensions = dimensions;
  view->size = 1;
  for (int d = 0; d < dimensions; d++) view->size *= (uint64_t)(view->shape[d] = shape[d]);
  return view->size != 0; // (sizes that overflow have no memory: the library that made the array saw to it)
}

static int gppy_look_numpy(PyObject *array, gppy_view *view) {
  const int needed = GPPY_CONTIGUOUS | GPPY_ALIGNED | GPPY_NATIVE;
  PyObject *capsule = PyObject_GetAttr(array, gppy_struct_name);
  const gppy_interface *about = capsule ? (const gppy_interface *)PyCapsule_GetPointer(capsule, NULL) : NULL;
  int found = 0;
  if (about && about->two == 2 && (about->flags & needed) == needed) {
    view->library = GPPY_NUMPY;
    view->device = -1;
    view->data = about->data;
    view->writable = (about->flags & GPPY_WRITABLE) != 0;
    view->type = gppy_type_of(about->kind, about->size);
    found = view->type && gppy_shaped(view, (const int64_t *)about->shape, about->dimensions);
  }
  Py_XDECREF(capsule);
  return found;
}

static int gppy_look_torch(PyObject *tensor, gppy_view *view, int is_new) {
  static const char kinds[] = "iuf?B?b???e?E"; // of DLPack's codes
  gppy_tensor about;
  int64_t step = 1;
  if (!is_new) { // (conjugates are complex, which are not plain)
    PyObject *flag = PyObject_GetAttr(tensor, gppy_grad_name);
    Py_XDECREF(flag);
    if (flag != Py_False) return 0;
    flag = PyObject_CallMethodObjArgs(tensor, gppy_neg_name, NULL);
    Py_XDECREF(flag);
    if (flag != Py_False) return 0;
  }
  if (gppy_api->look(tensor, &about)) return 0;
  if (about.lanes != 1 || about.bits % 8 || about.code >= sizeof kinds - 1) return 0;
  if (about.device_type != GPPY_HOST && about.device_type != GPPY_CUDA) return 0;
  view->library = GPPY_TORCH;
  view->device = about.device_type == GPPY_HOST ? -1 : about.device;
  view->data = (char *)about.data + about.offset;
  view->writable = 1;
  view->type = gppy_type_of(kinds[about.code], about.bits / 8);
  if (!view->type || view->device >= GPPY_DEVICES || !gppy_shaped(view, about.shape, about.dimensions)) return 0;
  for (int d = about.dimensions - 1; about.strides && d >= 0; d--) {
    if (about.shape[d] != 1 && about.strides[d] != step) return 0;
    step *= about.shape[d];
  }
  return 1;
}

// Is it a plain array? Then the view is filled. is_new: it was made for a result.
static int gppy_look(PyObject *array, gppy_view *view, int is_new) {
  PyObject *type = (PyObject *)Py_TYPE(array);
  int found = 0;
  if (type == gppy_array_type[GPPY_NUMPY]) found = gppy_look_numpy(array, view);
  else if (type == gppy_array_type[GPPY_TORCH] && gppy_api) found = gppy_look_torch(array, view, is_new);
  if (!found) PyErr_Clear();
  return found;
}

// ---- results

static PyObject *gppy_tuple(const int64_t *numbers, int count) {
  PyObject *made = PyTuple_New(count);
  for (int i = 0; made && i < count; i++) {
    PyObject *number = PyLong_FromLongLong(numbers[i]);
    if (!number || PyTuple_SetItem(made, i, number)) Py_CLEAR(made);
  }
  return made;
}

static int gppy_shape_of(const gppy_view *first, const gppy_view *last, int shape, int64_t number, int64_t *made) {
  const gppy_view *like = shape == GPPY_LAST ? last : first;
  switch (shape) {
  case GPPY_NONE: return 0;
  case GPPY_FLAT: made[0] = (int64_t)first->size; return 1;
  case GPPY_NUMBER: made[0] = number; return 1;
  default: break;
  }
  memcpy(made, like->shape, sizeof like->shape);
  if (shape == GPPY_KEPT) made[like->dimensions - 1] = number;
  return like->dimensions - (shape == GPPY_ROWS);
}

// What makes tensors of a type on a device: the method new_empty of one of no elements, which takes 0.6 of the time of
// torch.empty with names. scalar: a tensor of no dimensions, for torch.empty_like: PyTorch is slow to read ().
static PyObject *gppy_maker_of(PyObject *like, int type, int device, int scalar) {
  PyObject **maker = &(scalar ? gppy_scalars : gppy_makers)[type][device + 1];
  if (!*maker) {
    PyObject *where = PyObject_GetAttr(like, gppy_device_name), *options = where ? PyDict_New() : NULL;
    PyObject *size = scalar ? Py_BuildValue("(())") : Py_BuildValue("(i)", 0), *one = NULL;
    if (options && size && !PyDict_SetItemString(options, "dtype", gppy_element_types[GPPY_TORCH][type]) &&
        !PyDict_SetItem(options, gppy_device_name, where))
      one = PyObject_Call(gppy_make[GPPY_TORCH], size, options);
    if (one && (PyObject *)Py_TYPE(one) == gppy_array_type[GPPY_TORCH]) { // none of a mode of PyTorch
      *maker = scalar ? one : PyObject_GetAttr(one, gppy_new_name);
      if (scalar) one = NULL;
    }
    Py_XDECREF(one);
    Py_XDECREF(size);
    Py_XDECREF(options);
    Py_XDECREF(where);
  }
  return *maker;
}

// A new array of the library that `like` belongs to.
static PyObject *gppy_array(
    PyObject *like, const gppy_view *about, int type, const int64_t *shape, int dimensions, gppy_view *view) {
  PyObject *extents = NULL, *made = NULL, *element = gppy_element_types[about->library][type], *maker;
  if (!element) return NULL;
  if (about->library == GPPY_NUMPY) {
    extents = dimensions == 1 ? PyLong_FromLongLong(shape[0]) : gppy_tuple(shape, dimensions);
    if (extents) made = PyObject_CallFunctionObjArgs(gppy_make[GPPY_NUMPY], extents, element, NULL);
  } else {
    maker = gppy_maker_of(like, type, about->device, !dimensions);
    if (maker && !dimensions) {
      made = PyObject_CallFunctionObjArgs(gppy_like, maker, NULL);
    } else if (maker) {
      extents = gppy_tuple(shape, dimensions);
      if (extents) made = PyObject_CallObject(maker, extents);
    }
  }
  Py_XDECREF(extents);
  if (made && !gppy_look(made, view, 1)) Py_CLEAR(made); // (a mode of PyTorch that makes tensors of another kind)
  return made;
}

// The first elements of a new array, whose memory stays. A tensor becomes shorter, in a third of the time of a slice.
static PyObject *gppy_trimmed(PyObject *array, int library, uint64_t count) {
  PyObject *stop = PyLong_FromUnsignedLongLong(count), *slice = NULL, *made = NULL;
  if (library == GPPY_TORCH) {
    if (stop) made = PyObject_CallMethodObjArgs(array, gppy_resize_name, stop, NULL);
  } else {
    slice = stop ? PySlice_New(NULL, stop, NULL) : NULL;
    made = slice ? PyObject_GetItem(array, slice) : NULL;
  }
  Py_XDECREF(stop);
  Py_XDECREF(slice);
  return made;
}

static int gppy_is_signed(int type) { return type == GP_I8 || type == GP_I16 || type == GP_I32 || type == GP_I64; }
static int64_t gppy_largest(int type) { // of an integer type, or of int64
  switch (type) {
  case GP_I8: return INT8_MAX;
  case GP_U8: return UINT8_MAX;
  case GP_I16: return INT16_MAX;
  case GP_U16: return UINT16_MAX;
  case GP_I32: return INT32_MAX;
  case GP_U32: return UINT32_MAX;
  default: return INT64_MAX;
  }
}
static int gppy_sum_type(int type, int library) {
  switch (type) {
  case GP_U8:
  case GP_U16:
  case GP_U32:
  case GP_U64: return library == GPPY_NUMPY ? GP_U64 : GP_I64;
  case GP_BOOL:
  case GP_I8:
  case GP_I16:
  case GP_I32:
  case GP_I64: return GP_I64;
  default: return type;
  }
}

// ---- calls

// The rows along the last dimension of a contiguous input. kept: elements of a row of the result.
static gp_axes gppy_rows(const gppy_view *view, int64_t kept) {
  const int64_t length = view->shape[view->dimensions - 1], rows = (int64_t)view->size / length;
  gp_axes axes;
  memset(&axes, 0, sizeof axes);
  axes.struct_size = sizeof axes;
  axes.dimensions = rows > 1 ? 2 : 1;
  axes.axis = axes.dimensions - 1;
  axes.extent[0] = (uint64_t)rows;
  axes.in_stride[0] = length;
  axes.out_stride[0] = kept;
  axes.extent[axes.axis] = (uint64_t)length;
  axes.in_stride[axes.axis] = axes.out_stride[axes.axis] = 1;
  return axes;
}

// The form for an axis (an integer or None), or NULL. Rows are those of the last dimension.
static const gppy_form *gppy_choose(const gppy_form *form, PyObject *axis, const gppy_view *view) {
  long long d;
  if (axis == Py_None) return form->flags & GPPY_AXIS ? NULL : form;
  if ((PyObject *)Py_TYPE(axis) != (PyObject *)&PyLong_Type || !view->dimensions) return NULL;
  d = PyLong_AsLongLong(axis);
  if (d != -1 && d != view->dimensions - 1) {
    PyErr_Clear();
    return NULL;
  }
  if (view->dimensions == 1) return form;
  return form->rows < 0 ? NULL : &gppy_forms[form->rows];
}

static void gppy_set(gp_call *call, int offset, const void *value, size_t size) {
  if (offset) memcpy((char *)call + offset, value, size);
}

// The result for the caller: `count` arrays, cut where `word` says how many elements they have; the word alone where
// there is no array. It takes the references to the arrays. tied: a list, of arrays and the number on the device.
static PyObject *gppy_results(
    PyObject **made, int count, const gppy_view *view, const uint64_t *word, int tied, int own) {
  PyObject *all = NULL;
  if (!count) return PyLong_FromUnsignedLongLong(*word);
  for (int i = 0; i < count && word; i++) {
    PyObject *cut = gppy_trimmed(made[i], view->library, *word);
    Py_DECREF(made[i]);
    made[i] = cut;
  }
  if (view->library == GPPY_NUMPY && !view->dimensions && own) {
    PyObject *number = PyObject_GetItem(made[0], gppy_empty); // NumPy's results of no dimensions are scalars
    Py_DECREF(made[0]);
    made[0] = number;
  }
  if (count == 1) return made[0];
  all = tied ? PyList_New(count) : PyTuple_New(count);
  for (int i = 0; i < count; i++) {
    if (all && made[i]) {
      if (tied) PyList_SetItem(all, i, made[i]);
      else PyTuple_SetItem(all, i, made[i]);
    } else {
      Py_XDECREF(made[i]);
      Py_CLEAR(all);
    }
  }
  return all;
}

// ---- words of host memory

static int64_t gppy_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}
// A word for a kernel on a device, or NULL: there are none, or calls use all.
static uint64_t *gppy_take_word(void) {
  int i;
  if (!gppy_free) return NULL;
  i = __builtin_ctzll(gppy_free);
  gppy_free &= gppy_free - 1;
  gppy_words[i * GPPY_WORD_STEP] = gppy_unwritten;
  return &gppy_words[i * GPPY_WORD_STEP];
}
static void gppy_give_word(const uint64_t *word) { gppy_free |= (uint64_t)1 << ((word - gppy_words) / GPPY_WORD_STEP); }
// Polls a word for a while, without the GIL. The kernel may still run when it has written it.
static void gppy_poll(const uint64_t *word) {
  const int64_t end = gppy_now() + GPPY_POLL_NS;
  while (__atomic_load_n(word, __ATOMIC_ACQUIRE) == gppy_unwritten && gppy_now() < end) {}
}
// Waits for the stream where the word was not written soon: for long kernels, and for errors.
static int gppy_await(const uint64_t *word, int device) {
  PyObject *number, *done = NULL;
  if (__atomic_load_n(word, __ATOMIC_ACQUIRE) != gppy_unwritten) return 1;
  number = PyLong_FromLong(device);
  if (number) done = PyObject_CallFunctionObjArgs(gppy_wait, number, NULL);
  Py_XDECREF(number);
  Py_XDECREF(done);
  return done != NULL;
}

static int gppy_alike(int what, const gppy_view *a, const gppy_view *b) {
  if (what & GPPY_TYPE && a->type != b->type) return 0;
  if (what & GPPY_SIZE && a->size != b->size) return 0;
  return !(what & GPPY_SHAPE) ||
      (a->dimensions == b->dimensions && !memcmp(a->shape, b->shape, sizeof *a->shape * (size_t)a->dimensions));
}

// run(form, axis, out, number, x[, y]): the result; a list (results, count) where they are on a device, the data
// decides how many there are, and the call does not wait; None: an array is not plain, or there is no word to wait for.
// number: k of a top-k, bins of a histogram; -1: none.
static PyObject *gppy_run(PyObject *self, PyObject *const *arguments, Py_ssize_t count) {
  const Py_ssize_t inputs = count - 4;
  gppy_view in[GPPY_ARRAYS], out[GPPY_ARRAYS];
  PyObject *made[GPPY_ARRAYS] = {NULL, NULL, NULL};
  const gppy_form *form;
  gp_context *context;
  gp_call call;
  gp_axes axes;
  gp_input inner, floats;
  gp_result result;
  void *stream = NULL;
  uint64_t upper, here = gppy_unwritten, *word = NULL;
  int arrays;
  int64_t number = -1;
  long chosen;
  int type;
  (void)self;
  if (inputs < 1 || inputs > GPPY_ARRAYS) {
    PyErr_SetString(PyExc_TypeError, "run(form, axis, out, number, x[, y])");
    return NULL;
  }
  chosen = PyLong_AsLong(arguments[0]);
  if (chosen < 0 || chosen >= gppy_form_count || gppy_forms[chosen].inputs != inputs) {
    if (!PyErr_Occurred()) PyErr_SetString(PyExc_ValueError, "form");
    return NULL;
  }
  form = &gppy_forms[chosen];
  for (Py_ssize_t i = 0; i < inputs; i++) {
    if (!gppy_look(arguments[4 + i], &in[i], 0) || !(form->in[i].types >> in[i].type & 1)) Py_RETURN_NONE;
    if (i && (in[i].library != in[0].library || in[i].device != in[0].device)) Py_RETURN_NONE;
    if (!gppy_alike(form->in[i].like, &in[i], &in[0])) Py_RETURN_NONE;
  }
  form = gppy_choose(form, arguments[1], &in[0]);
  context = gppy_contexts[in[0].library][in[0].device + 1];
  if (!form || !context) Py_RETURN_NONE;
  call = form->call;
  if (arguments[3] != Py_None) {
    if ((PyObject *)Py_TYPE(arguments[3]) != (PyObject *)&PyLong_Type) Py_RETURN_NONE;
    number = PyLong_AsLongLong(arguments[3]);
    PyErr_Clear();
    if (form->flags & GPPY_BINS) {
      upper = (uint64_t)number;
      call.bins = (uint64_t)number;
      if (form->flags & GPPY_NATURALS) {
        if (number > gppy_largest(in[0].type)) Py_RETURN_NONE;
        call.lower = gppy_zero;
        call.upper = &upper; // (little-endian: its low bytes are the number in a smaller type)
      }
    } else {
      if (!in[0].dimensions || number > in[0].shape[in[0].dimensions - 1]) Py_RETURN_NONE;
      call.k = (uint64_t)number;
    }
    if (number < 1) Py_RETURN_NONE;
  }
  if (in[0].device >= 0 && gppy_api->stream(GPPY_CUDA, in[0].device, &stream)) {
    PyErr_Clear();
    Py_RETURN_NONE;
  }
  for (Py_ssize_t i = 0; i < inputs; i++) {
    gppy_set(&call, form->in[i].data, &in[i].data, sizeof in[i].data);
    type = in[i].type + (form->flags & GPPY_UNSIGNED && gppy_is_signed(in[i].type)); // U8 follows I8, and so on
    gppy_set(&call, form->in[i].type, &type, sizeof type);
    gppy_set(&call, form->in[i].count, &in[i].size, sizeof in[i].size);
  }
  if (form->flags & GPPY_UNSIGNED) call.acc_type = call.in_type;
  if (form->flags & GPPY_FLOATS) {
    inner = gp_input_array((gp_type)in[0].type, in[0].data);
    floats = gp_input_of_one(GP_CONVERT, GP_F64, &inner);
    call.in_type = GP_INPUT;
    call.in = &floats;
  }
  arrays = form->outputs;
  if (form->flags & (in[0].device < 0 ? GPPY_SIZED | GPPY_WAITS : GPPY_WAITS)) {
    word = in[0].device < 0 ? &here : gppy_take_word();
    if (!word) Py_RETURN_NONE;
    gppy_set(&call, form->out[--arrays].data, &word, sizeof word);
    gppy_set(&call, form->out[arrays].type, &form->out[arrays].element, sizeof type);
  }
  for (int i = 0; i < arrays; i++) {
    const int asked = form->out[i].element;
    type = asked > 0 ? asked : asked ? gppy_sum_type(in[0].type, in[0].library) : in[0].type;
    int64_t shape[GPPY_DIMENSIONS];
    const int dimensions = gppy_shape_of(&in[0], &in[inputs - 1], form->out[i].shape, number, shape);
    if (i || arguments[2] == Py_None) {
      made[i] = gppy_array(arguments[4], &in[0], type, shape, dimensions, &out[i]);
    } else if (gppy_look(arguments[2], &out[0], 0) && out[0].library == in[0].library &&
        out[0].device == in[0].device && out[0].type == type && out[0].writable && out[0].dimensions == dimensions &&
        !memcmp(out[0].shape, shape, sizeof *shape * (size_t)dimensions)) {
      Py_INCREF(arguments[2]);
      made[0] = arguments[2];
    }
    if (!made[i]) { // not plain, or no memory, which the other way says again
      while (i) Py_DECREF(made[--i]);
      if (word && word != &here) gppy_give_word(word);
      PyErr_Clear();
      Py_RETURN_NONE;
    }
    gppy_set(&call, form->out[i].data, &out[i].data, sizeof out[i].data);
    type += form->flags & GPPY_UNSIGNED && gppy_is_signed(type);
    gppy_set(&call, form->out[i].type, &type, sizeof type);
  }
  if (form->call.primitive == GP_REDUCE_AXIS || form->call.primitive == GP_SCAN_AXIS ||
      form->call.primitive == GP_SORT_AXIS || form->call.primitive == GP_TOP_K_AXIS) {
    axes = gppy_rows(&in[0],
        form->call.primitive == GP_REDUCE_AXIS ? 1
            : number > 0 ? number
            : in[0].shape[in[0].dimensions - 1]);
    call.axes = &axes;
  }
  Py_BEGIN_ALLOW_THREADS;
  result = gp_run(context, &call, (gp_stream)stream);
  if (!result && word && word != &here) gppy_poll(word);
  Py_END_ALLOW_THREADS;
  if (result) {
    PyObject *code = PyLong_FromLong((long)result), *error = NULL;
    if (code && gppy_error) error = PyObject_CallFunctionObjArgs(gppy_error, code, NULL);
    if (error) PyErr_SetObject((PyObject *)Py_TYPE(error), error);
    Py_XDECREF(code);
    Py_XDECREF(error);
  }
  if (word && word != &here && result != GP_E_DRIVER && (result || gppy_await(word, in[0].device))) {
    here = *word;
    gppy_give_word(word);
    word = &here;
  }
  if (PyErr_Occurred()) {
    for (int i = 0; i < arrays; i++) Py_DECREF(made[i]);
    return NULL;
  }
  if (form->flags & GPPY_UNSIGNED && here > (uint64_t)gppy_largest(in[0].type)) return PyLong_FromLong(-1);
  return gppy_results(
      made, arrays, arrays ? &out[0] : &in[0], word, !word && form->flags & GPPY_SIZED, arguments[2] == Py_None);
}

// ---- what the package says

static long gppy_number(PyObject *tuple, Py_ssize_t place) {
  PyObject *number = PyTuple_GetItem(tuple, place);
  return number ? PyLong_AsLong(number) : -1;
}

// form(call, flags, rows, inputs, outputs) -> its number. call: the bytes of a gp_call; inputs: (data, type, count,
// like, types); outputs: (data, type, element, shape).
static PyObject *gppy_add_form(PyObject *self, PyObject *arguments) {
  PyObject *bytes, *inputs, *outputs;
  gppy_form *form = &gppy_forms[gppy_form_count];
  (void)self;
  if (gppy_form_count == GPPY_FORMS) return PyErr_NoMemory();
  memset(form, 0, sizeof *form);
  if (!PyArg_ParseTuple(
          arguments, "SiiO!O!", &bytes, &form->flags, &form->rows, &PyTuple_Type, &inputs, &PyTuple_Type, &outputs))
    return NULL;
  form->inputs = (int)PyTuple_Size(inputs);
  form->outputs = (int)PyTuple_Size(outputs);
  if (PyBytes_Size(bytes) != sizeof form->call || form->inputs > GPPY_ARRAYS || form->outputs > GPPY_ARRAYS) {
    PyErr_SetString(PyExc_ValueError, "form");
    return NULL;
  }
  memcpy(&form->call, PyBytes_AsString(bytes), sizeof form->call);
  for (int i = 0; i < form->inputs; i++) {
    PyObject *one = PyTuple_GetItem(inputs, i);
    form->in[i].data = (int)gppy_number(one, 0);
    form->in[i].type = (int)gppy_number(one, 1);
    form->in[i].count = (int)gppy_number(one, 2);
    form->in[i].like = (int)gppy_number(one, 3);
    form->in[i].types = (unsigned)gppy_number(one, 4);
  }
  for (int i = 0; i < form->outputs; i++) {
    PyObject *one = PyTuple_GetItem(outputs, i);
    form->out[i].data = (int)gppy_number(one, 0);
    form->out[i].type = (int)gppy_number(one, 1);
    form->out[i].element = (int)gppy_number(one, 2);
    form->out[i].shape = (int)gppy_number(one, 3);
  }
  if (PyErr_Occurred()) return NULL;
  return PyLong_FromLong(gppy_form_count++);
}

// library(number, array type, function that makes one, torch.empty_like or None, {gp_type: element type}, exchange or
// None)
static PyObject *gppy_add_library(PyObject *self, PyObject *arguments) {
  PyObject *type, *make, *like, *elements, *exchange, *key, *value;
  Py_ssize_t at = 0;
  int library;
  (void)self;
  if (!PyArg_ParseTuple(arguments, "iOOOO!O", &library, &type, &make, &like, &PyDict_Type, &elements, &exchange))
    return NULL;
  if (library < 0 || library >= GPPY_LIBRARIES) return PyErr_Format(PyExc_ValueError, "library");
  if (library == GPPY_TORCH) {
    const gppy_exchange *api = (const gppy_exchange *)PyCapsule_GetPointer(exchange, "dlpack_exchange_api");
    while (api && api->major > 1) api = (const gppy_exchange *)api->before;
    if (!api || api->major != 1 || !api->look || !api->stream) {
      PyErr_Clear();
      Py_RETURN_FALSE;
    }
    for (int i = 0; i < GP_TYPE_COUNT; i++)
      for (int d = 0; d <= GPPY_DEVICES; d++) {
        Py_CLEAR(gppy_makers[i][d]);
        Py_CLEAR(gppy_scalars[i][d]);
      }
    Py_INCREF(like);
    Py_XDECREF(gppy_like);
    gppy_like = like;
    gppy_api = api;
    gppy_words = NULL;
    gppy_free = 0;
  }
  for (int i = 0; i < GP_TYPE_COUNT; i++) Py_CLEAR(gppy_element_types[library][i]);
  while (PyDict_Next(elements, &at, &key, &value)) {
    const long element = PyLong_AsLong(key);
    if (element <= 0 || element >= GP_TYPE_COUNT) continue;
    Py_INCREF(value);
    gppy_element_types[library][element] = value;
  }
  Py_INCREF(type);
  Py_XDECREF(gppy_array_type[library]);
  gppy_array_type[library] = type;
  Py_INCREF(make);
  Py_XDECREF(gppy_make[library]);
  gppy_make[library] = make;
  Py_RETURN_TRUE;
}

// context(library, device, address): where calls on such arrays run.
static PyObject *gppy_add_context(PyObject *self, PyObject *arguments) {
  int library, device;
  unsigned long long address;
  (void)self;
  if (!PyArg_ParseTuple(arguments, "iiK", &library, &device, &address)) return NULL;
  if (library >= 0 && library < GPPY_LIBRARIES && device >= -1 && device < GPPY_DEVICES)
    gppy_contexts[library][device + 1] = (gp_context *)(uintptr_t)address;
  Py_RETURN_NONE;
}

// words(address, wait): memory of WORDS cache lines, page-locked and zero, for as long as the process runs.
static PyObject *gppy_add_words(PyObject *self, PyObject *arguments) {
  unsigned long long address;
  PyObject *wait;
  (void)self;
  if (!PyArg_ParseTuple(arguments, "KO", &address, &wait)) return NULL;
  Py_INCREF(wait);
  Py_XDECREF(gppy_wait);
  gppy_wait = wait;
  gppy_words = (uint64_t *)(uintptr_t)address;
  gppy_free = address ? UINT64_MAX : 0;
  Py_RETURN_NONE;
}

// forget(): all contexts.
static PyObject *gppy_forget(PyObject *self, PyObject *nothing) {
  (void)self, (void)nothing;
  memset(gppy_contexts, 0, sizeof gppy_contexts);
  Py_RETURN_NONE;
}

static PyObject *gppy_is_tensor(PyObject *self, PyObject *array) {
  (void)self;
  return PyBool_FromLong(gppy_api && (PyObject *)Py_TYPE(array) == gppy_array_type[GPPY_TORCH]);
}
static PyObject *gppy_is_plain(PyObject *self, PyObject *array) {
  return (PyObject *)Py_TYPE(array) == gppy_array_type[GPPY_NUMPY] ? PyBool_FromLong(1) : gppy_is_tensor(self, array);
}

static PyMethodDef gppy_methods[] = {
    {"is_plain", gppy_is_plain, METH_O, "is_plain(array): is it of a type that run() takes?"},
    {"is_tensor", gppy_is_tensor, METH_O, "is_tensor(array): is it a tensor of PyTorch that run() takes?"},
    {"run", (PyCFunction)(void (*)(void))gppy_run, METH_FASTCALL, "run(form, axis, out, number, x[, y])"},
    {"form", gppy_add_form, METH_VARARGS, "form(call, flags, rows, inputs, outputs)"},
    {"library", gppy_add_library, METH_VARARGS, "library(number, type, make, like, elements, exchange)"},
    {"context", gppy_add_context, METH_VARARGS, "context(library, device, address)"},
    {"words", gppy_add_words, METH_VARARGS, "words(address, wait)"},
    {"forget", gppy_forget, METH_NOARGS, "forget()"},
};

// Puts the functions into a dict of Python, whose address it gets; error: the function that makes an exception of a
// gp_result. Returns 0.
static int gppy_install(uintptr_t dict, uintptr_t error) {
  PyGILState_STATE state = PyGILState_Ensure();
  int failed = 0;
  gppy_struct_name = PyUnicode_InternFromString("__array_struct__");
  gppy_grad_name = PyUnicode_InternFromString("requires_grad");
  gppy_neg_name = PyUnicode_InternFromString("is_neg");
  gppy_device_name = PyUnicode_InternFromString("device");
  gppy_resize_name = PyUnicode_InternFromString("resize_");
  gppy_new_name = PyUnicode_InternFromString("new_empty");
  gppy_empty = PyTuple_New(0);
  gppy_error = (PyObject *)error;
  Py_INCREF(gppy_error);
  failed = !gppy_struct_name || !gppy_grad_name || !gppy_neg_name || !gppy_device_name || !gppy_resize_name ||
      !gppy_new_name || !gppy_empty;
  for (size_t i = 0; i < sizeof gppy_methods / sizeof *gppy_methods && !failed; i++) {
    PyObject *function = PyCFunction_NewEx(&gppy_methods[i], NULL, NULL);
    failed = !function || PyDict_SetItemString((PyObject *)dict, gppy_methods[i].ml_name, function);
    Py_XDECREF(function);
  }
  PyGILState_Release(state);
  return failed;
}
