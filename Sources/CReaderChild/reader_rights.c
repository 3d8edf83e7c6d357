#define _GNU_SOURCE
#include "CReaderChild.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdint.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

void reader_bind_to_parent(void) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  prctl(PR_SET_NAME, "serialscan-read");
}

#if defined(__x86_64__)
#define THIS_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define THIS_ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

#ifdef THIS_ARCHITECTURE

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define REFUSE BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM)
#define ALLOW BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define REFUSE_CALL(call) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_##call, 0, 1), REFUSE
// Allowed where the first argument, a process, is this one.
#define ALLOW_CALL_FOR(call, process)                            \
  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_##call, 0, 4),        \
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, FIRST_ARGUMENT),          \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (process), 0, 1), ALLOW, REFUSE
// The lower half of it: both architectures are little-endian.
#define FIRST_ARGUMENT offsetof(struct seccomp_data, args)

int reader_drop_rights(void) {
  // A list of what decoders never need: it stops what a hijacked one would do next (call home, start a shell, reach
  // into the server). What it may read and write is Landlock's matter, but for owners and rights of files.
  struct sock_filter filter[] = {
    LOAD(arch),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, THIS_ARCHITECTURE, 1, 0),
    REFUSE,
    LOAD(nr),
#if defined(__x86_64__)
    // The x32 calls are the same ones under other numbers.
    BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1),
    REFUSE,
#endif
    REFUSE_CALL(socket),
    REFUSE_CALL(connect),
    REFUSE_CALL(bind),
    REFUSE_CALL(listen),
    REFUSE_CALL(execve),
    REFUSE_CALL(execveat),
    REFUSE_CALL(ptrace),
    REFUSE_CALL(process_vm_readv),
    REFUSE_CALL(process_vm_writev),
    REFUSE_CALL(pidfd_getfd),
    REFUSE_CALL(pidfd_send_signal),
    REFUSE_CALL(kill),
    REFUSE_CALL(tkill),
    REFUSE_CALL(rt_sigqueueinfo),
    REFUSE_CALL(rt_tgsigqueueinfo),
    REFUSE_CALL(setpriority),
    REFUSE_CALL(ioprio_set),
    REFUSE_CALL(sched_setaffinity),
    REFUSE_CALL(sched_setscheduler),
    REFUSE_CALL(sched_setparam),
    REFUSE_CALL(sched_setattr),
    REFUSE_CALL(fchmod),
    REFUSE_CALL(fchmodat),
    REFUSE_CALL(fchown),
    REFUSE_CALL(fchownat),
    REFUSE_CALL(setxattr),
    REFUSE_CALL(lsetxattr),
    REFUSE_CALL(fsetxattr),
    REFUSE_CALL(removexattr),
    REFUSE_CALL(utimensat),
    REFUSE_CALL(truncate),
#if defined(__x86_64__)
    REFUSE_CALL(chmod),
    REFUSE_CALL(chown),
    REFUSE_CALL(lchown),
    REFUSE_CALL(utime),
    REFUSE_CALL(utimes),
    REFUSE_CALL(futimesat),
#endif
    REFUSE_CALL(bpf),
    REFUSE_CALL(perf_event_open),
    REFUSE_CALL(io_uring_setup),
    REFUSE_CALL(keyctl),
    REFUSE_CALL(mount),
    REFUSE_CALL(unshare),
    REFUSE_CALL(setns),
    REFUSE_CALL(chroot),
    // abort() and raise() send a signal to their own process.
    ALLOW_CALL_FOR(tgkill, (uint32_t)getpid()),
    // getrlimit() asks for process 0, which is its own.
    ALLOW_CALL_FOR(prlimit64, 0),
    ALLOW,
  };
  struct sock_fprog program = {.len = sizeof(filter) / sizeof(filter[0]), .filter = filter};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return errno;
  if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) return errno;
  return 0;
}

#else

int reader_drop_rights(void) { return ENOSYS; }

#endif
