#include "support/host_memory.hpp"

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>
#include <sys/resource.h>
#include <unistd.h>

namespace accy {

namespace {

constexpr std::int64_t unknown = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t unchecked_bytes = std::int64_t{1} << 26;

/// The number behind "NAME:" of /proc/meminfo, in bytes.
std::int64_t meminfo(std::string_view name) {
  std::ifstream stream("/proc/meminfo");
  for (std::string key; stream >> key;) {
    std::int64_t kibibytes = 0;
    stream >> kibibytes;
    if (stream && key.substr(0, key.size() - 1) == name) return kibibytes * 1024;
    stream.clear();
    stream.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  return unknown;
}

/// A control group's number; "max" and a missing file are unknown.
std::int64_t control_group(const char* path) {
  std::ifstream stream(path);
  std::int64_t value = 0;
  return stream >> value ? value : unknown;
}

/// What a limit on the address space leaves.
std::int64_t address_space() {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return unknown;
  std::int64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return static_cast<std::int64_t>(limit.rlim_cur) - pages * sysconf(_SC_PAGESIZE);
}

}  // namespace

std::int64_t available_host_memory() {
  std::int64_t available = std::min(meminfo("MemAvailable"), address_space());
  const std::int64_t limit = control_group("/sys/fs/cgroup/memory.max");
  const std::int64_t used = control_group("/sys/fs/cgroup/memory.current");
  if (limit != unknown && used != unknown) available = std::min(available, limit - used);
  return std::max<std::int64_t>(available, 0);
}

Failure host_memory_ran_out() { return fail(ErrorCode::out_of_memory, "host memory ran out"); }

Status require_host_memory(std::int64_t bytes, std::string_view purpose) {
  if (bytes <= unchecked_bytes) return {};
  const std::int64_t available = available_host_memory();
  if (bytes <= available) return {};
  return fail(ErrorCode::unsupported, std::string(purpose) + " takes " + std::to_string(bytes) +
                                          " bytes of host memory, more than the " +
                                          std::to_string(available) + " that are available");
}

}  // namespace accy
