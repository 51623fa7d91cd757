#include "support/crash_file.hpp"

#include <array>
#include <csignal>
#include <fcntl.h>
#include <memory>
#include <unistd.h>

namespace accy {

namespace {

constexpr std::array fatal_signals{SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL};
constexpr std::size_t signal_stack_bytes = 1 << 16;

/// Read by the handler on the thread that crashed; nothing in it is changed while it may run.
struct CrashFile {
  std::string path;
  std::string content;
};
thread_local CrashFile crash_file;

/// The stack for signals of one thread, given back with the thread.
class SignalStack {
 public:
  SignalStack() : memory_(std::make_unique<std::byte[]>(signal_stack_bytes)) {
    stack_t stack{};
    stack.ss_sp = memory_.get();
    stack.ss_size = signal_stack_bytes;
    ::sigaltstack(&stack, &before_);
  }
  ~SignalStack() { ::sigaltstack(&before_, nullptr); }
  SignalStack(const SignalStack&) = delete;
  SignalStack& operator=(const SignalStack&) = delete;

 private:
  std::unique_ptr<std::byte[]> memory_;
  stack_t before_{};
};

void write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(descriptor, text.data(), text.size());
    if (count <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(count));
  }
}

/// Calls nothing but what is safe in a signal handler: open, write, close, raise.
void on_fatal_signal(int signal) {
  if (!crash_file.path.empty()) {
    const int file =
        ::open(crash_file.path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (file >= 0) {
      write_all(file, crash_file.content);
      ::close(file);
      write_all(STDERR_FILENO, "accy: crashed; what it was doing is in ");
      write_all(STDERR_FILENO, crash_file.path);
      write_all(STDERR_FILENO, "\n");
    }
  }
  ::raise(signal);  // SA_RESETHAND put the default action back
}

std::array<struct sigaction, fatal_signals.size()> former_actions;

}  // namespace

CrashFileHandler::CrashFileHandler() {
  struct sigaction action {};
  action.sa_handler = on_fatal_signal;
  action.sa_flags = static_cast<int>(SA_ONSTACK | SA_RESETHAND | SA_NODEFER);
  for (std::size_t index = 0; index < fatal_signals.size(); ++index)
    ::sigaction(fatal_signals[index], &action, &former_actions[index]);
}

CrashFileHandler::~CrashFileHandler() {
  for (std::size_t index = 0; index < fatal_signals.size(); ++index)
    ::sigaction(fatal_signals[index], &former_actions[index], nullptr);
}

void prepare_crash_file(std::string path, std::string content) {
  static thread_local const SignalStack stack;
  clear_crash_file();
  crash_file.content = std::move(content);
  crash_file.path = std::move(path);
}

void clear_crash_file() { crash_file.path.clear(); }

}  // namespace accy
