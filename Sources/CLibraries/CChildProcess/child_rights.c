#define _GNU_SOURCE
#include "CChildProcess.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <seccomp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "sanitized.h"

void child_bind_to_parent(void) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  prctl(PR_SET_NAME, "serialscan-read");
}

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))
#ifndef SANITIZED

#define NAMESPACES \
  (CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET)

// The system calls that decoders, OCR, the C library and Swift's runtime make in a running child, found with strace
// over all formats, codes, annotation and crashes; and those that other builds of these libraries may make instead.
// Names unknown on this architecture have no effect.
static const int allowed[] = {
  // Memory; mmap and mprotect are restricted below.
  SCMP_SYS(brk), SCMP_SYS(munmap), SCMP_SYS(mremap), SCMP_SYS(madvise),
  // Files: Landlock restricts which, and prevents writing.
  SCMP_SYS(openat), SCMP_SYS(close), SCMP_SYS(read), SCMP_SYS(pread64), SCMP_SYS(lseek), SCMP_SYS(fstat),
  SCMP_SYS(newfstatat), SCMP_SYS(statx), SCMP_SYS(access), SCMP_SYS(readlink), SCMP_SYS(readlinkat),
  SCMP_SYS(getdents64),
  // The pipes.
  SCMP_SYS(write), SCMP_SYS(writev), SCMP_SYS(poll), SCMP_SYS(ppoll),
  // Threads; clone is restricted below.
  SCMP_SYS(futex), SCMP_SYS(set_robust_list), SCMP_SYS(rseq), SCMP_SYS(sched_yield), SCMP_SYS(sched_getaffinity),
  SCMP_SYS(gettid), SCMP_SYS(getpid), SCMP_SYS(exit), SCMP_SYS(exit_group),
  // Signals to itself; tgkill is restricted below.
  SCMP_SYS(rt_sigaction), SCMP_SYS(rt_sigprocmask), SCMP_SYS(rt_sigreturn), SCMP_SYS(sigaltstack),
  SCMP_SYS(restart_syscall),
  // Clocks and properties of the machine.
  SCMP_SYS(clock_gettime), SCMP_SYS(gettimeofday), SCMP_SYS(clock_nanosleep), SCMP_SYS(nanosleep),
  SCMP_SYS(getrusage), SCMP_SYS(sysinfo), SCMP_SYS(getrandom), SCMP_SYS(getcpu),
};

/// Allows calls only with certain arguments. If a call is listed twice, either condition is enough.
static int allow_some(scmp_filter_ctx filter) {
  const struct {
    int call;
    unsigned count;
    struct scmp_arg_cmp arguments[2];
  } rules[] = {
    // Memory is writable or executable, never both. Code comes only from files, and the child cannot create any.
    {SCMP_SYS(mmap), 1, {SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0)}},
    {SCMP_SYS(mmap), 2, {SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_WRITE, 0), SCMP_A3(SCMP_CMP_MASKED_EQ, MAP_ANONYMOUS, 0)}},
    {SCMP_SYS(mprotect), 1, {SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0)}},
    // Threads, but no processes. clone3 passes its flags in memory, where filters cannot see them; if it is missing,
    // the C library uses clone.
    {SCMP_SYS(clone), 1, {SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD | NAMESPACES, CLONE_THREAD)}},
    // abort() and raise().
    {SCMP_SYS(tgkill), 1, {SCMP_A0(SCMP_CMP_EQ, (scmp_datum_t)getpid())}},
    // getrlimit() of its own limits, but not setrlimit().
    {SCMP_SYS(prlimit64), 2, {SCMP_A0(SCMP_CMP_EQ, 0), SCMP_A2(SCMP_CMP_EQ, 0)}},
    // The names of threads.
    {SCMP_SYS(prctl), 1, {SCMP_A0(SCMP_CMP_EQ, PR_SET_NAME)}},
    {SCMP_SYS(prctl), 1, {SCMP_A0(SCMP_CMP_EQ, PR_GET_NAME)}},
    // Others could make the kernel send a signal to the parent.
    {SCMP_SYS(fcntl), 1, {SCMP_A1(SCMP_CMP_EQ, F_GETFD)}},
    {SCMP_SYS(fcntl), 1, {SCMP_A1(SCMP_CMP_EQ, F_GETFL)}},
  };
  int error = 0;
  for (unsigned index = 0; !error && index < COUNT(rules); index++) {
    error = seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, rules[index].call, rules[index].count, rules[index].arguments);
  }
  return error;
}

static int allow_all(scmp_filter_ctx filter) {
  int error = allow_some(filter);
  for (unsigned index = 0; !error && index < COUNT(allowed); index++) {
    error = seccomp_rule_add(filter, SCMP_ACT_ALLOW, allowed[index], 0);
  }
  return error;
}

// The error of a kernel without the call, so that libraries use their fallback.
#define DEFAULT_ACTION SCMP_ACT_ERRNO(ENOSYS)
#define ADD_RULES allow_all

#else

// A sanitizer's runtime makes further calls. Such a build is only for tests and refuses only the calls that tests make.
static const int refused[] = {
  SCMP_SYS(socket), SCMP_SYS(socketpair), SCMP_SYS(execve), SCMP_SYS(execveat), SCMP_SYS(fork), SCMP_SYS(vfork),
  SCMP_SYS(clone3), SCMP_SYS(setsid), SCMP_SYS(setpgid), SCMP_SYS(kill), SCMP_SYS(tkill), SCMP_SYS(rt_sigqueueinfo),
  SCMP_SYS(rt_tgsigqueueinfo), SCMP_SYS(setpriority), SCMP_SYS(ptrace), SCMP_SYS(chmod), SCMP_SYS(fchmodat),
  SCMP_SYS(memfd_create), SCMP_SYS(unshare),
};

static int refuse_some(scmp_filter_ctx filter) {
  const scmp_datum_t itself = (scmp_datum_t)getpid();
  int error = 0;
  for (unsigned index = 0; !error && index < COUNT(refused); index++) {
    error = seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), refused[index], 0);
  }
  const uint32_t action = SCMP_ACT_ERRNO(ENOSYS);
  if (!error) error = seccomp_rule_add(filter, action, SCMP_SYS(clone), 1, SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, 0));
  if (!error) error = seccomp_rule_add(filter, action, SCMP_SYS(tgkill), 1, SCMP_A0(SCMP_CMP_NE, itself));
  if (!error) error = seccomp_rule_add(filter, action, SCMP_SYS(prlimit64), 1, SCMP_A0(SCMP_CMP_NE, 0));
  if (!error) error = seccomp_rule_add(filter, action, SCMP_SYS(fcntl), 1, SCMP_A1(SCMP_CMP_EQ, F_SETOWN));
  return error;
}

#define DEFAULT_ACTION SCMP_ACT_ALLOW
#define ADD_RULES refuse_some

#endif

int child_drop_rights(void) {
  scmp_filter_ctx filter = seccomp_init(DEFAULT_ACTION);
  if (!filter) return ENOMEM;
  // Applies the filter also to threads that libraries have already started.
  int error = seccomp_attr_set(filter, SCMP_FLTATR_CTL_TSYNC, 1);
  if (!error) error = ADD_RULES(filter);
  if (!error) error = seccomp_load(filter);
  seccomp_release(filter);
  return -error;
}
