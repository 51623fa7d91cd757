// The binary form: what stores keep and digests are made of. People read and write text (text.hpp).
//
//   module    := "choir-bytecode-1\n" operation
//   operation := string(name) operands results attributes [location] regions
//   region    := arguments operations
//
// Counts and references are LEB128 numbers. Strings, types, attributes and locations stand in
// tables: 0 is followed by a new entry, 1 is none, n + 2 is entry n; an entry is numbered when it
// is complete. A value is named by how many values back it was defined. The form follows from the
// content alone, so equal modules have equal bytes whatever context they live in.
#pragma once

#include <string>
#include <string_view>

#include "accy/export.hpp"
#include "choir/module.hpp"

namespace accy::choir {

struct ACCY_EXPORT BytecodeOptions {
  bool locations = true;
  bool names = true;  ///< of values, from the source
};

ACCY_EXPORT std::string encode(const Module& module, BytecodeOptions options = {});
/// One operation with its regions. Values from outside are numbered by their first use.
ACCY_EXPORT std::string encode(const Operation& operation, BytecodeOptions options = {});

/// Reads what encode() wrote of a module, with locations and names. Anything else, cut off or
/// changed in whatever way, is an error that names `file` and the byte. Does not verify.
ACCY_EXPORT Result<Module> decode(std::string_view bytes, std::string_view file,
                                  const Registry& registry);

}  // namespace accy::choir
