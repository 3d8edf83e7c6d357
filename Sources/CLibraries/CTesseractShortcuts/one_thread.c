#define _GNU_SOURCE
#include "CTesseractShortcuts.h"

#include <dlfcn.h>

// Tesseract divides each time step of its networks among OpenMP's threads. Their spinning while they wait makes a line
// three to six times slower, and even a team of one thread costs a system call for each step: 6,000 for a photo. These
// definitions replace those of the OpenMP library (GCC's `libgomp`, used only by Tesseract in this program). The
// calling thread executes all parts in turn.

static _Thread_local unsigned next_section;
static _Thread_local unsigned last_section;

void GOMP_parallel(void (*part)(void *), void *data, unsigned threads, unsigned flags) {
  (void)threads;
  (void)flags;
  part(data);
}

void GOMP_parallel_sections(void (*part)(void *), void *data, unsigned threads, unsigned sections, unsigned flags) {
  (void)threads;
  (void)flags;
  const unsigned outer_next = next_section, outer_last = last_section;
  next_section = 1;
  last_section = sections;
  part(data);
  next_section = outer_next;
  last_section = outer_last;
}

// The number of the next section; 0 if all are done.
unsigned GOMP_sections_next(void) { return next_section <= last_section ? next_section++ : 0; }

void GOMP_sections_end_nowait(void) {}

bool tesseract_reads_on_one_thread(void) {
  return dlsym((void *)0, "GOMP_parallel") == (void *)GOMP_parallel
         && dlsym((void *)0, "GOMP_parallel_sections") == (void *)GOMP_parallel_sections;
}
