//! The system calls that a confined process is refused.
//!
//! A filter sees the numbers of system calls, so it covers what Landlock does not. That is the network, priorities of
//! other processes, System V shared memory, changes of the machine, and parts of the kernel that have had security
//! holes.

use std::collections::BTreeMap;

use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch, apply_filter, apply_filter_all_threads,
};

/// The calls that are refused with any arguments.
const REFUSED: &[i64] = &[
    // The network, except pairs of connected sockets.
    libc::SYS_socket,
    libc::SYS_connect,
    libc::SYS_bind,
    libc::SYS_listen,
    // Other processes.
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_pidfd_getfd,
    libc::SYS_process_madvise,
    libc::SYS_process_mrelease,
    libc::SYS_kcmp,
    libc::SYS_migrate_pages,
    libc::SYS_move_pages,
    // Objects that processes share by name or number.
    libc::SYS_shmget,
    libc::SYS_shmat,
    libc::SYS_shmctl,
    libc::SYS_semget,
    libc::SYS_semop,
    libc::SYS_semtimedop,
    libc::SYS_semctl,
    libc::SYS_msgget,
    libc::SYS_msgsnd,
    libc::SYS_msgrcv,
    libc::SYS_msgctl,
    libc::SYS_mq_open,
    libc::SYS_mq_unlink,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_keyctl,
    // Other views of the file system.
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_open_tree,
    libc::SYS_move_mount,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    libc::SYS_name_to_handle_at,
    libc::SYS_open_by_handle_at,
    libc::SYS_fanotify_init,
    libc::SYS_fanotify_mark,
    libc::SYS_quotactl,
    libc::SYS_quotactl_fd,
    // The kernel itself.
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_kexec_load,
    libc::SYS_kexec_file_load,
    libc::SYS_reboot,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_acct,
    libc::SYS_syslog,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_adjtimex,
    libc::SYS_clock_adjtime,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_vhangup,
    libc::SYS_lookup_dcookie,
    libc::SYS_nfsservctl,
    libc::SYS_personality,
];

#[cfg(target_arch = "x86_64")]
const REFUSED_HERE: &[i64] =
    &[libc::SYS_iopl, libc::SYS_ioperm, libc::SYS_modify_ldt, libc::SYS_uselib, libc::SYS_ustat];
#[cfg(not(target_arch = "x86_64"))]
const REFUSED_HERE: &[i64] = &[];

/// The calls that are answered as unknown, so that libraries use older ones, whose arguments can be checked.
const UNKNOWN: &[i64] =
    &[libc::SYS_clone3, libc::SYS_io_uring_setup, libc::SYS_io_uring_enter, libc::SYS_io_uring_register];

/// The calls that are refused unless the numbered argument, a process id, is 0, the caller itself.
const OF_OTHERS: &[(i64, u8)] = &[
    (libc::SYS_prlimit64, 0),
    (libc::SYS_sched_setaffinity, 0),
    (libc::SYS_sched_setscheduler, 0),
    (libc::SYS_sched_setparam, 0),
    (libc::SYS_sched_setattr, 0),
    (libc::SYS_setpriority, 1),
    (libc::SYS_ioprio_set, 1),
];

/// The calls that are refused unless mounts are read-only: they change modes, owners, times and attributes by path.
const METADATA: &[i64] = &[
    libc::SYS_fchmodat,
    FCHMODAT2,
    libc::SYS_fchownat,
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_fremovexattr,
    libc::SYS_fchown,
];

#[cfg(target_arch = "x86_64")]
const METADATA_HERE: &[i64] = &[
    libc::SYS_chmod,
    libc::SYS_chown,
    libc::SYS_lchown,
    libc::SYS_utime,
    libc::SYS_utimes,
    libc::SYS_futimesat,
];
#[cfg(not(target_arch = "x86_64"))]
const METADATA_HERE: &[i64] = &[];

/// The number of `fchmodat2`, since Linux 6.6; the same on every architecture.
const FCHMODAT2: i64 = 452;

/// The numbers of the calls for extended attributes by folder, since Linux 6.13; the same on every architecture.
const XATTRS_AT: &[i64] = &[463, 466];

/// The bit that marks system calls of the x32 interface, a second set of numbers on x86-64.
const X32: i64 = 0x4000_0000;

/// The flags of `clone` that create namespaces.
const NAMESPACES: &[i32] = &[
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWNS,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWNET,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWUTS,
    libc::CLONE_NEWCGROUP,
];

/// The calls of a process that only computes: memory, time, threads, signals of its own, and bytes of open files.
const COMPUTING: &[i64] = &[
    libc::SYS_read,
    libc::SYS_pread64,
    libc::SYS_write,
    libc::SYS_readv,
    libc::SYS_writev,
    libc::SYS_close,
    libc::SYS_fstat,
    libc::SYS_ppoll,
    libc::SYS_mmap,
    libc::SYS_munmap,
    libc::SYS_mremap,
    libc::SYS_mprotect,
    libc::SYS_madvise,
    libc::SYS_brk,
    libc::SYS_futex,
    libc::SYS_sched_yield,
    libc::SYS_sched_getaffinity,
    libc::SYS_nanosleep,
    libc::SYS_clock_nanosleep,
    libc::SYS_clock_gettime,
    libc::SYS_clock_getres,
    libc::SYS_gettimeofday,
    libc::SYS_getrandom,
    libc::SYS_getrusage,
    libc::SYS_getpid,
    libc::SYS_gettid,
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn,
    libc::SYS_sigaltstack,
    libc::SYS_restart_syscall,
    libc::SYS_set_robust_list,
    libc::SYS_rseq,
    libc::SYS_clone3, // answered as unknown by a filter of its own
    libc::SYS_exit,
    libc::SYS_exit_group,
];

#[cfg(target_arch = "x86_64")]
const COMPUTING_HERE: &[i64] = &[libc::SYS_poll];
#[cfg(not(target_arch = "x86_64"))]
const COMPUTING_HERE: &[i64] = &[];

type Rules = BTreeMap<i64, Vec<SeccompRule>>;

/// Installs the filters for this thread and its children.
pub(super) fn install(mounts_are_read_only: bool, network: bool) -> Result<(), seccompiler::Error> {
    apply_filter(&program(refused(mounts_are_read_only, network)?, libc::EPERM)?)?;
    apply_filter(&program(unknown(), libc::ENOSYS)?)
}

/// Installs filters for all threads of this process that leave computing alone.
pub(super) fn isolate() -> Result<(), seccompiler::Error> {
    let mut allowed: Rules = COMPUTING.iter().chain(COMPUTING_HERE).map(|it| (*it, Vec::new())).collect();
    let thread = u64::from(libc::CLONE_THREAD.unsigned_abs());
    let starts_thread = rule(0, SeccompCmpArgLen::Qword, SeccompCmpOp::MaskedEq(thread), thread)?;
    allowed.insert(libc::SYS_clone, vec![starts_thread]);
    let architecture: TargetArch = std::env::consts::ARCH.try_into()?;
    let refuse = SeccompAction::Errno(libc::EPERM.unsigned_abs());
    let filter = SeccompFilter::new(allowed, refuse, SeccompAction::Allow, architecture)?;
    let filter: BpfProgram = filter.try_into()?;
    // Libraries take the older call when this one is unknown, and the flags of that one can be checked.
    let clone3 = program(BTreeMap::from([(libc::SYS_clone3, Vec::new())]), libc::ENOSYS)?;
    apply_filter_all_threads(&clone3)?; // first, since installing is no computing
    apply_filter_all_threads(&filter)
}

fn program(rules: Rules, error: i32) -> Result<BpfProgram, BackendError> {
    let architecture: TargetArch = std::env::consts::ARCH.try_into()?;
    let refuse = SeccompAction::Errno(error.unsigned_abs());
    SeccompFilter::new(rules, SeccompAction::Allow, refuse, architecture)?.try_into()
}

/// Returns rules that answer calls of newer kernels as unknown, since this table cannot judge them.
fn unknown() -> Rules {
    const NEWEST: i64 = 467; // file_setattr and older ones, Linux 6.17
    let later = NEWEST + 1..NEWEST + 60;
    with_x32(UNKNOWN.iter().copied().chain(later).map(|it| (it, Vec::new())).collect())
}

fn refused(mounts_are_read_only: bool, network: bool) -> Result<Rules, BackendError> {
    let mut rules: Rules = REFUSED.iter().chain(REFUSED_HERE).map(|it| (*it, Vec::new())).collect();
    if network {
        // Sockets of files, to which services of the user listen, are of another family.
        let families = [libc::AF_INET, libc::AF_INET6].map(|it| {
            let family = u64::from(it.unsigned_abs());
            SeccompCondition::new(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Ne, family)
        });
        let others = SeccompRule::new(families.into_iter().collect::<Result<_, _>>()?)?;
        rules.insert(libc::SYS_socket, vec![others]);
        rules.remove(&libc::SYS_connect);
        rules.remove(&libc::SYS_bind);
    }
    for (call, argument) in OF_OTHERS {
        rules.insert(*call, vec![rule(*argument, SeccompCmpArgLen::Dword, SeccompCmpOp::Ne, 0)?]);
    }
    let flags = NAMESPACES.iter().map(|it| u64::from(it.unsigned_abs()));
    let cloned = flags.map(|it| rule(0, SeccompCmpArgLen::Qword, SeccompCmpOp::MaskedEq(it), it));
    rules.insert(libc::SYS_clone, cloned.collect::<Result<_, _>>()?);
    // A datagram socket of a pair can be connected elsewhere; streams and packets cannot.
    let kind = |kind: i32| {
        rule(1, SeccompCmpArgLen::Dword, SeccompCmpOp::MaskedEq(0xf), u64::from(kind.unsigned_abs()))
    };
    let other_family =
        rule(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Ne, u64::from(libc::AF_UNIX.unsigned_abs()))?;
    rules.insert(libc::SYS_socketpair, vec![other_family, kind(libc::SOCK_DGRAM)?, kind(libc::SOCK_RAW)?]);
    // Writing input to the terminal of our parent (`TIOCSTI`), or controlling its console (`TIOCLINUX`).
    let typed = [0x5412, 0x541C].map(|it| rule(1, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, it));
    rules.insert(libc::SYS_ioctl, typed.into_iter().collect::<Result<_, _>>()?);
    // Device files; pipes and regular files are allowed.
    let devices = [libc::S_IFCHR, libc::S_IFBLK];
    let made = devices.map(|it| {
        rule(2, SeccompCmpArgLen::Dword, SeccompCmpOp::MaskedEq(u64::from(libc::S_IFMT)), u64::from(it))
    });
    rules.insert(libc::SYS_mknodat, made.into_iter().collect::<Result<_, _>>()?);
    if !mounts_are_read_only {
        rules.extend(METADATA.iter().chain(METADATA_HERE).chain(XATTRS_AT).map(|it| (*it, Vec::new())));
        // Setting the times of an open file is allowed, since builds do it.
        rules.insert(libc::SYS_utimensat, vec![rule(1, SeccompCmpArgLen::Qword, SeccompCmpOp::Ne, 0)?]);
    }
    Ok(with_x32(rules))
}

fn rule(
    argument: u8,
    length: SeccompCmpArgLen,
    operator: SeccompCmpOp,
    value: u64,
) -> Result<SeccompRule, BackendError> {
    SeccompRule::new(vec![SeccompCondition::new(argument, length, operator, value)?])
}

/// Adds rules that refuse the whole x32 interface where it exists; nothing here uses it.
fn with_x32(mut rules: Rules) -> Rules {
    if cfg!(target_arch = "x86_64") {
        let doubled: Vec<_> = rules.keys().map(|it| it | X32).collect();
        rules.extend(doubled.into_iter().map(|it| (it, Vec::new())));
    }
    rules
}
