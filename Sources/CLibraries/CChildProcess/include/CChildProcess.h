#ifndef C_CHILD_PROCESS_H
#define C_CHILD_PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A child's resource limits; 0 leaves a limit unchanged.
struct child_limits {
  /// Bytes of address space (RLIMIT_AS).
  uint64_t address_space;
  /// Seconds of CPU time (RLIMIT_CPU).
  uint64_t processor_seconds;
  /// Open files (RLIMIT_NOFILE).
  uint64_t open_files;
};

/// A running child and the parent's ends of its pipes, non-blocking and closed on exec.
struct child_ends {
  pid_t pid;
  int requests;
  int answers;
  int errors;
};

/// The exit status of a child that ran out of memory in C++.
#define CHILD_EXIT_OUT_OF_MEMORY 90
/// The exit status of a child that could not encode its answer.
#define CHILD_EXIT_PIPE_SETUP_FAILED 91

/// Starts a program in a new process group, with three pipes as its standard streams and no other open descriptors.
/// Returns 0 or an errno.
int child_spawn(const char *path, char *const arguments[], char *const environment[],
                 const struct child_limits *limits, struct child_ends *child);

/// Whether this build limits children's address space; builds with a sanitizer can't.
bool child_limits_address_space(void);

/// Creates a pair of descriptors for waking a poll: [0] to read, [1] to write; non-blocking and closed on exec. Returns
/// 0 or an errno.
int child_wake_pipe(int descriptors[2]);

/// In the child: makes it die with the thread that started it, gain no privileges and have a name of its own in `ps`.
void child_bind_to_parent(void);

/// In the child: allows only the system calls that decoding needs. It cannot use the network, start processes or
/// programs, signal or inspect other processes, or set limits. Returns 0, or an errno if the kernel does not support
/// filters.
int child_drop_rights(void);

/// In the child: lets the calling thread and those it starts read only the system's libraries, and modify, create or
/// execute no files. Returns 0, or an errno if the kernel does not support Landlock.
int child_confine_files(void);

/// In the child: makes a failed C++ allocation exit with CHILD_EXIT_OUT_OF_MEMORY.
void child_exit_when_out_of_memory(void);

#ifdef __cplusplus
}
#endif

#endif
