import Foundation

/// The three streams that every program is started with, or should be.
public enum StandardStreams {
  /// Puts `/dev/null` where a stream is closed. Otherwise the next file that is opened would get its number, and log lines
  /// would be written into the database. To be called before anything is opened.
  public static func fillClosed() {
    for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO]
    where fcntl(descriptor, F_GETFD) < 0 && errno == EBADF {
      // The lowest free number is this one: those below it are open by now.
      _ = open("/dev/null", descriptor == STDIN_FILENO ? O_RDONLY : O_WRONLY)
    }
  }

  /// Lets a write into a pipe whose reader is gone fail, where it would end the program.
  public static func ignoreBrokenPipes() { signal(SIGPIPE, SIG_IGN) }
}
