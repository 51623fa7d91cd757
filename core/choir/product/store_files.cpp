#include "choir/product/store_files.hpp"

#include <algorithm>
#include <random>

#include "support/file.hpp"

namespace accy::choir::store {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view marker_name = "accy-store";
constexpr std::string_view marker_text = "accy-store 1\n";
constexpr std::string_view unfinished_marker = ".accy-store-";
constexpr std::size_t digest_digits = 32;

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

/// A name that no other writer has: of another process, or another thread of this one.
std::string unique_name() {
  std::random_device random;
  const auto word = [&] { return std::uint64_t{random()} << 32U | random(); };
  return Digest{word(), word()}.to_string();
}

Failure io_failure(const fs::path& path, std::string_view what, const std::error_code& error) {
  return fail(ErrorCode::io,
              path.string() + ": " + std::string(what) + " (" + error.message() + ")");
}

Status make_folders(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return io_failure(folder, "folder cannot be created", error);
  return {};
}

Status move_into_place(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::rename(from, to, error);
  if (!error) return {};
  Failure failure = io_failure(to, "cannot be put in place", error);
  fs::remove(from, error);
  return failure;
}

/// An error when the folder holds anything but what another process makes of it right now.
Status require_empty(const fs::path& folder) {
  std::error_code error;
  for (fs::directory_iterator file(folder, error), end; !error && file != end;
       file.increment(error)) {
    const std::string name = file->path().filename().string();
    if (name == marker_name) return require_store(folder);
    if (name.starts_with(unfinished_marker)) continue;
    // Another process may have made it a store, and filled it, since this one looked.
    std::error_code unknown;
    if (fs::exists(folder / marker_name, unknown)) return require_store(folder);
    return fail(ErrorCode::invalid_input,
                folder.string() + ": is not a store of accy and not empty (holds " + name + ")");
  }
  if (error) return io_failure(folder, "folder cannot be read", error);
  return {};
}

std::string two_digits(const Digest& digest) { return digest.to_string().substr(0, 2); }

}  // namespace

Status require_store(const fs::path& folder) {
  const auto text = read_text(folder / marker_name, 64);
  if (!text)
    return fail(ErrorCode::invalid_input, folder.string() + ": is not a store of accy (" +
                                              std::string(text.error().message) + ")");
  if (*text != marker_text)
    return fail(ErrorCode::unsupported, folder.string() + ": is a store of another version (" +
                                            text->substr(0, text->find('\n')) + ", not " +
                                            std::string(marker_text.substr(0, 12)) + ")");
  return {};
}

Status prepare_folder(const fs::path& folder) {
  ACCY_TRY(make_folders(folder));
  std::error_code error;
  if (fs::exists(folder / marker_name, error)) return require_store(folder);
  ACCY_TRY(require_empty(folder));
  const fs::path unfinished = folder / (std::string(unfinished_marker) + unique_name());
  ACCY_TRY(write_file(unfinished, bytes_of(marker_text)));
  return move_into_place(unfinished, folder / marker_name);
}

fs::path object_path(const Digest& bytes) {
  return fs::path("objects") / two_digits(bytes) / bytes.to_string();
}

fs::path trace_folder(const Digest& request) {
  return fs::path("traces") / two_digits(request) / request.to_string();
}

fs::path trace_path(const Digest& request, const Digest& key) {
  return trace_folder(request) / key.to_string();
}

std::optional<Digest> parse_digest(std::string_view text) {
  if (text.size() != digest_digits) return std::nullopt;
  std::uint64_t halves[2] = {};
  for (std::size_t index = 0; index < digest_digits; ++index) {
    const char digit = text[index];
    const bool decimal = digit >= '0' && digit <= '9';
    if (!decimal && (digit < 'a' || digit > 'f')) return std::nullopt;
    const auto value = static_cast<std::uint64_t>(decimal ? digit - '0' : digit - 'a' + 10);
    std::uint64_t& half = halves[index / (digest_digits / 2)];
    half = half << 4U | value;
  }
  return Digest{halves[0], halves[1]};
}

Status write_whole(const fs::path& folder, const fs::path& relative,
                   std::span<const std::byte> content) {
  const fs::path temporary = folder / "temporary" / unique_name();
  ACCY_TRY(make_folders(temporary.parent_path()));
  ACCY_TRY(make_folders((folder / relative).parent_path()));
  if (Status written = write_file(temporary, content); !written) {
    std::error_code ignored;
    fs::remove(temporary, ignored);
    return written;
  }
  return move_into_place(temporary, folder / relative);
}

Result<std::string> read_text(const fs::path& path, std::int64_t bytes_maximum) {
  ACCY_TRY_ASSIGN(const std::vector<std::byte> content, read_file(path, bytes_maximum));
  return std::string(reinterpret_cast<const char*>(content.data()), content.size());
}

Result<std::vector<Entry>> list_entries(const fs::path& folder) {
  ACCY_TRY(require_store(folder));
  constexpr std::pair<EntryKind, const char*> places[] = {{EntryKind::object, "objects"},
                                                          {EntryKind::trace, "traces"},
                                                          {EntryKind::leftover, "temporary"}};
  std::vector<Entry> entries;
  for (const auto& [kind, name] : places) {
    std::error_code error;
    fs::recursive_directory_iterator file(folder / name, error);
    for (const fs::recursive_directory_iterator end; !error && file != end; file.increment(error)) {
      std::error_code vanished;
      if (!file->is_regular_file(vanished)) continue;
      Entry entry{kind, fs::relative(file->path(), folder, vanished), 0, {}};
      entry.bytes = static_cast<std::int64_t>(file->file_size(vanished));
      if (!vanished) entry.used = file->last_write_time(vanished);
      if (!vanished) entries.push_back(std::move(entry));
    }
    if (error && error != std::errc::no_such_file_or_directory)
      return io_failure(folder / name, "folder cannot be read", error);
  }
  std::ranges::sort(entries, {}, &Entry::path);
  return entries;
}

void touch(const fs::path& path) {
  std::error_code ignored;
  fs::last_write_time(path, fs::file_time_type::clock::now(), ignored);
}

}  // namespace accy::choir::store
