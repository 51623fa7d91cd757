// Where a disk store's files lie, how they are written whole, and how they are listed.
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "accy/digest.hpp"
#include "accy/result.hpp"

namespace accy::choir::store {

inline constexpr std::int64_t object_bytes_maximum = std::int64_t{1} << 28;
inline constexpr std::int64_t trace_bytes_maximum = std::int64_t{1} << 20;

/// Makes the folder a store unless it is one.
Status prepare_folder(const std::filesystem::path& folder);
/// An error unless the folder is a store of this version.
Status require_store(const std::filesystem::path& folder);

// Paths relative to the store's folder.
std::filesystem::path object_path(const Digest& bytes);
std::filesystem::path trace_folder(const Digest& request);
std::filesystem::path trace_path(const Digest& request, const Digest& key);

/// 32 lower-case hexadecimal digits; nothing for anything else.
std::optional<Digest> parse_digest(std::string_view text);

/// Readers see all of it or nothing: written under another name and renamed.
Status write_whole(const std::filesystem::path& folder, const std::filesystem::path& relative,
                   std::span<const std::byte> content);

Result<std::string> read_text(const std::filesystem::path& path, std::int64_t bytes_maximum);

enum class EntryKind { object, trace, leftover };

struct Entry {
  EntryKind kind = EntryKind::leftover;
  std::filesystem::path path;  ///< relative to the store's folder
  std::int64_t bytes = 0;
  std::filesystem::file_time_type used;  ///< when it was last written or found
};

/// All files of a store, sorted by path. Files that vanish meanwhile are left out.
Result<std::vector<Entry>> list_entries(const std::filesystem::path& folder);

/// Marks a file as just used; not being allowed to is no harm.
void touch(const std::filesystem::path& path);

}  // namespace accy::choir::store
