#include <dlfcn.h>
#include <tesseract/capi.h>

/// Lets the calling thread read alone: the parallel regions that it begins in Tesseract get no further threads. Where
/// Tesseract was built without OpenMP there is nothing to do.
///
/// OpenMP's limit of threads is read from the environment when the library is loaded, before any line of the program
/// runs, and Tesseract asks for a number of threads; the levels of parallelism are what a running thread can set.
static inline void tesseract_read_on_this_thread_alone(void) {
  // A null handle searches everything that is loaded, as RTLD_DEFAULT does.
  void (*set_levels)(int) = (void (*)(int))dlsym((void *)0, "omp_set_max_active_levels");
  if (set_levels) set_levels(0);
}
