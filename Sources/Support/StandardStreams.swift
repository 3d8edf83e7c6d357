import Foundation

/// The three standard streams of a process.
public enum StandardStreams {
  /// Opens `/dev/null` for each closed stream. Call this before opening anything.
  ///
  /// Otherwise the next file opened would get the stream's number, and log lines could be written into the database.
  public static func fillClosed() {
    for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO]
    where fcntl(descriptor, F_GETFD) < 0 && errno == EBADF {
      // `open` returns the lowest free number, which is this one, because lower ones are open by now.
      _ = open("/dev/null", descriptor == STDIN_FILENO ? O_RDONLY : O_WRONLY)
    }
  }

  /// Ignores SIGPIPE, so that writing to a pipe without a reader fails instead of ending the program.
  public static func ignoreBrokenPipes() { signal(SIGPIPE, SIG_IGN) }
}
