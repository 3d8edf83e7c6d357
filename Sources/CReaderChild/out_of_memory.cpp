#include "CReaderChild.h"

#include <new>
#include <unistd.h>

void reader_exit_when_out_of_memory(void) {
  std::set_new_handler([] { _exit(READER_EXIT_OUT_OF_MEMORY); });
}
