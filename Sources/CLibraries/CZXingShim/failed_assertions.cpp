#include "CZXingShim.h"
#include "failed_assertions.h"

#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>

thread_local std::jmp_buf *serialscan_assertion_exit = nullptr;

// Debian builds zxing-cpp 1.4 with its assertions, and a picture full of bars fails one in its search for square
// codes (`RegressionLine.h`, `intersect`): the reader would die of a picture of which it could read the rest. The
// library calls this function through its symbol table, so this definition takes the place of the C library's. It
// leaves the library without its destructors; what that leaks ends with the reader, which is replaced after a set
// number of photos. An assertion of anybody else ends the process as always.
extern "C" [[noreturn]] void __assert_fail(const char *assertion, const char *file, unsigned int line,
                                           const char *function) noexcept {
  if (serialscan_assertion_exit) std::longjmp(*serialscan_assertion_exit, 1);
  std::fprintf(stderr, "%s:%u: %s: Assertion `%s' failed.\n", file, line, function, assertion);
  std::abort();
}

bool serialscan_assertions_are_caught(void) {
  // What the libraries of the program find first under this name must be the definition above, in front of the C library's.
  void *first = dlsym(RTLD_DEFAULT, "__assert_fail");
  void *second = dlsym(RTLD_NEXT, "__assert_fail");
  return first == reinterpret_cast<void *>(__assert_fail) && second && second != first;
}
