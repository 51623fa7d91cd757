// Host memory: refusing what would end in the out-of-memory killer, before it is touched.
#pragma once

#include <cstdint>
#include <new>
#include <string_view>

#include "accy/result.hpp"

namespace accy {

/// Bytes that the process can still take without swapping out others, by what the system says; the
/// largest value where it does not say.
std::int64_t available_host_memory();

/// An error (unsupported) when `bytes` for `purpose` are more than is available. Small amounts are
/// not checked: asking the system costs more than it saves.
Status require_host_memory(std::int64_t bytes, std::string_view purpose);

/// The error of an allocation that failed.
Failure host_memory_ran_out();

/// Calls the function; that memory ran out somewhere in it becomes an error value.
template <class Function>
auto or_out_of_memory(Function function) -> decltype(function()) {
  try {
    return function();
  } catch (const std::bad_alloc&) {
    return host_memory_ran_out();
  }
}

}  // namespace accy
