#ifndef C_READER_CHILD_H
#define C_READER_CHILD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What a child may use; 0 leaves a limit as it is.
struct reader_limits {
  /// Bytes of address space (RLIMIT_AS).
  uint64_t address_space;
  /// Open files (RLIMIT_NOFILE).
  uint64_t open_files;
};

/// A running child and the parent's ends of its pipes, non-blocking and closed on exec.
struct reader_child {
  pid_t pid;
  int requests;
  int answers;
  int errors;
};

/// The exit status of a child whose C++ heap ran out.
#define READER_EXIT_OUT_OF_MEMORY 90

/// Starts a program in a process group of its own with three pipes as its standard streams and nothing else open.
/// Returns 0 or an errno.
int reader_spawn(const char *path, char *const arguments[], char *const environment[],
                 const struct reader_limits *limits, struct reader_child *child);

/// Whether this build holds children to their address space: one with a sanitizer can't.
bool reader_limits_address_space(void);

/// A pair of descriptors to wake a poll: [0] to read, [1] to write; non-blocking and closed on exec.
/// Returns 0 or an errno.
int reader_wake_pipe(int descriptors[2]);

/// In the child: dies with the thread that started it, gains no rights, names itself in `ps`.
void reader_bind_to_parent(void);

/// In the child: takes away the network, the start of programs, and signals to, limits for and inspection of other
/// processes.
/// Returns 0, or an errno where the kernel has no filters.
int reader_drop_rights(void);

/// In the child: lets the calling thread and those it starts read only the system's libraries and what is named (files
/// or folders, ended by NULL), and change, make or execute none.
/// Returns 0, or an errno where the kernel has no Landlock.
int reader_confine_files(const char *const *readable);

/// In the child: ends it with READER_EXIT_OUT_OF_MEMORY where C++ finds no memory.
void reader_exit_when_out_of_memory(void);

#ifdef __cplusplus
}
#endif

#endif
