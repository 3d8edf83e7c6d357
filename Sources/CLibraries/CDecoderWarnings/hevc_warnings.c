#define _GNU_SOURCE
#include "CDecoderWarnings.h"

#include <dlfcn.h>

// libheif frees each decoder without asking it for its warnings. The definition of `de265_free_decoder` below takes the place of
// libde265's, and asks. Declared here because libheif alone needs that library.

typedef int (*function)(void *decoder);

// The values of `de265_error` that say nothing about the coded data: of threads, the list of warnings being full, memory, and metadata.
enum { NO_WARNING = 0, FIRST_WARNING = 1000, NO_THREADS = 1000, LIST_IS_FULL = 1001, FEWER_THREADS = 1022, NO_MEMORY = 1024, METADATA = 1025 };

static _Thread_local uint32_t count;

int de265_free_decoder(void *decoder) {
  const function next_warning = (function)dlsym(RTLD_DEFAULT, "de265_get_warning");
  const function free_decoder = (function)dlsym(RTLD_NEXT, "de265_free_decoder");
  if (next_warning) {
    for (int warning = next_warning(decoder); warning != NO_WARNING; warning = next_warning(decoder)) {
      const bool is_of_data = warning >= FIRST_WARNING && warning != NO_THREADS && warning != LIST_IS_FULL && warning != FEWER_THREADS
                              && warning != NO_MEMORY && warning != METADATA;
      if (is_of_data) ++count;
    }
  }
  return free_decoder ? free_decoder(decoder) : NO_WARNING;
}

void hevc_warnings_clear(void) { count = 0; }

uint32_t hevc_warnings_count(void) { return count; }

bool hevc_warnings_are_counted(void) {
  void *first = dlsym(RTLD_DEFAULT, "de265_free_decoder");
  void *second = dlsym(RTLD_NEXT, "de265_free_decoder");
  return first == (void *)de265_free_decoder && second && second != first && dlsym(RTLD_DEFAULT, "de265_get_warning");
}
