#define _GNU_SOURCE
#include "CChildProcess.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <unistd.h>

#include "sanitized.h"

/// Moves a descriptor above the standard streams: a daemon may have been started without them.
static int above_standard_streams(int descriptor) {
  if (descriptor > 2) return descriptor;
  int moved = fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
  close(descriptor);
  return moved;
}

static int open_pipe(int ends[2]) {
  if (pipe2(ends, O_CLOEXEC) != 0) return errno;
  ends[0] = above_standard_streams(ends[0]);
  ends[1] = above_standard_streams(ends[1]);
  return ends[0] < 0 || ends[1] < 0 ? EMFILE : 0;
}

static void close_pipe(int ends[2]) {
  if (ends[0] >= 0) close(ends[0]);
  if (ends[1] >= 0) close(ends[1]);
}

// A sanitizer's shadow memory reserves terabytes of address space.
bool child_limits_address_space(void) {
#ifdef SANITIZED
  return false;
#else
  return true;
#endif
}

static void limit(pid_t pid, int resource, uint64_t value) {
  struct rlimit limit = {.rlim_cur = value, .rlim_max = value};
  prlimit(pid, resource, &limit, NULL);
}

/// At the soft limit the child gets SIGXCPU, which identifies the cause of its end. If it catches the signal, SIGKILL
/// follows a second later.
static void limit_processor_time(pid_t pid, uint64_t seconds) {
  struct rlimit limit = {.rlim_cur = seconds, .rlim_max = seconds + 1};
  prlimit(pid, RLIMIT_CPU, &limit, NULL);
}

static int spawn(pid_t *pid, const char *path, char *const arguments[], char *const environment[], int standard_input,
                 int standard_output, int standard_error) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  sigset_t none, all;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawn_file_actions_adddup2(&actions, standard_input, 0);
  posix_spawn_file_actions_adddup2(&actions, standard_output, 1);
  posix_spawn_file_actions_adddup2(&actions, standard_error, 2);
  posix_spawn_file_actions_addclosefrom_np(&actions, 3);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  int error = posix_spawn(pid, path, &actions, &attributes, arguments, environment);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

int child_spawn(const char *path, char *const arguments[], char *const environment[],
                 const struct child_limits *limits, struct child_ends *child) {
  int requests[2] = {-1, -1}, answers[2] = {-1, -1}, errors[2] = {-1, -1};
  int error = open_pipe(requests);
  if (!error) error = open_pipe(answers);
  if (!error) error = open_pipe(errors);
  if (!error) error = spawn(&child->pid, path, arguments, environment, requests[0], answers[1], errors[1]);
  if (error) {
    close_pipe(requests);
    close_pipe(answers);
    close_pipe(errors);
    return error;
  }
  close(requests[0]);
  close(answers[1]);
  close(errors[1]);
  // Lets a photo be sent in few writes. If the user's limit on pipe buffers is reached, more writes are needed.
  fcntl(requests[1], F_SETPIPE_SZ, 1 << 20);
  fcntl(requests[1], F_SETFL, O_NONBLOCK);
  fcntl(answers[0], F_SETFL, O_NONBLOCK);
  fcntl(errors[0], F_SETFL, O_NONBLOCK);
  child->requests = requests[1];
  child->answers = answers[0];
  child->errors = errors[0];
  // Set by the parent, so that the child cannot avoid them.
  limit(child->pid, RLIMIT_CORE, 0);
  if (limits->address_space && child_limits_address_space()) limit(child->pid, RLIMIT_AS, limits->address_space);
  // It writes only to pipes.
  limit(child->pid, RLIMIT_FSIZE, 0);
  if (limits->processor_seconds) limit_processor_time(child->pid, limits->processor_seconds);
  if (limits->open_files) limit(child->pid, RLIMIT_NOFILE, limits->open_files);
  return 0;
}

int child_wake_pipe(int descriptors[2]) {
  int error = open_pipe(descriptors);
  if (error) return error;
  fcntl(descriptors[0], F_SETFL, O_NONBLOCK);
  fcntl(descriptors[1], F_SETFL, O_NONBLOCK);
  return 0;
}
