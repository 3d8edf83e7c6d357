#include "CZXingShim.h"
#include "failed_assertions.h"

#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>

thread_local std::jmp_buf *serialscan_assertion_exit = nullptr;

// Debian builds zxing-cpp 1.4 with assertions. A picture full of bars fails one in the search for square codes
// (`RegressionLine.h`, `intersect`), which would kill a reader that could read the rest of the picture. The library
// calls this function through its symbol table, so this definition replaces the C library's. It jumps out of the
// library without running destructors. The memory leaked is freed when the reader is replaced after a set number of
// photos. Failed assertions elsewhere end the process as usual.
extern "C" [[noreturn]] void __assert_fail(const char *assertion, const char *file, unsigned int line,
                                           const char *function) noexcept {
  if (serialscan_assertion_exit) std::longjmp(*serialscan_assertion_exit, 1);
  std::fprintf(stderr, "%s:%u: %s: Assertion `%s' failed.\n", file, line, function, assertion);
  std::abort();
}

bool serialscan_assertions_are_caught(void) {
  // The program's libraries must resolve this name to the definition above, before the C library's.
  void *first = dlsym(RTLD_DEFAULT, "__assert_fail");
  void *second = dlsym(RTLD_NEXT, "__assert_fail");
  return first == reinterpret_cast<void *>(__assert_fail) && second && second != first;
}
