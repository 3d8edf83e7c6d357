#ifndef C_CHILD_PROCESS_H
#define C_CHILD_PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What a child may use; 0 leaves a limit as it is.
struct child_limits {
  /// Bytes of address space (RLIMIT_AS).
  uint64_t address_space;
  /// Seconds of processor time (RLIMIT_CPU).
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

/// The exit status of a child whose C++ heap ran out.
#define CHILD_EXIT_OUT_OF_MEMORY 90
/// The exit status of a child that could not put its answer into words.
#define CHILD_EXIT_PIPE_SETUP_FAILED 91

/// Starts a program in a process group of its own with three pipes as its standard streams and nothing else open.
/// Returns 0 or an errno.
int child_spawn(const char *path, char *const arguments[], char *const environment[],
                 const struct child_limits *limits, struct child_ends *child);

/// Whether this build holds children to their address space: one with a sanitizer can't.
bool child_limits_address_space(void);

/// A pair of descriptors to wake a poll: [0] to read, [1] to write; non-blocking and closed on exec.
/// Returns 0 or an errno.
int child_wake_pipe(int descriptors[2]);

/// In the child: dies with the thread that started it, gains no rights, names itself in `ps`.
void child_bind_to_parent(void);

/// In the child: leaves it the calls of the kernel that decoding needs. It has no network, starts no process and no
/// program, sends no signal to another, looks into none and sets no limits.
/// Returns 0, or an errno where the kernel has no filters.
int child_drop_rights(void);

/// In the child: lets the calling thread and those it starts read only the system's libraries and what is named (files
/// or folders, ended by NULL), and change, make or execute none.
/// Returns 0, or an errno where the kernel has no Landlock.
int child_confine_files(const char *const *readable);

/// In the child: ends it with CHILD_EXIT_OUT_OF_MEMORY where C++ finds no memory.
void child_exit_when_out_of_memory(void);

#ifdef __cplusplus
}
#endif

#endif
