#pragma once

#include <csetjmp>

/// Where this thread continues when an assertion of the library fails; null outside the library.
extern thread_local std::jmp_buf *serialscan_assertion_exit;
