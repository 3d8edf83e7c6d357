#include "CChildProcess.h"

#include <new>
#include <unistd.h>

void child_exit_when_out_of_memory(void) {
  std::set_new_handler([] { _exit(CHILD_EXIT_OUT_OF_MEMORY); });
}
