// Products on disk: a folder that several processes and many runs share.
//
//   accy-store                       the folder's kind and version
//   objects/ab/DIGEST                a module's text, named by the digest of its bytes
//   traces/ab/REQUEST/KEY            what was asked for, the facts that were read, and its object
//   temporary/                       what is being written; renamed into place
//
// Every file names or holds the digest of its bytes, so that one that was cut off, changed or
// written by another version is a miss. What is read is parsed and checked as what was made is.
#pragma once

#include <filesystem>
#include <memory>

#include "choir/product.hpp"

namespace accy::choir {

struct ACCY_EXPORT DiskStoreOptions {
  /// Of all files together; beyond it what was not used for the longest time goes.
  std::int64_t bytes_maximum = std::int64_t{1} << 30;
  /// Of the code that makes the products: another compiler's are not found.
  std::string identity;
};

/// What a store did since it was opened.
struct ACCY_EXPORT DiskStoreCounters {
  std::uint64_t hits = 0;      ///< products read from disk
  std::uint64_t misses = 0;    ///< lookups that neither memory nor disk could serve
  std::uint64_t damaged = 0;   ///< files that could not be what was written
  std::uint64_t inserted = 0;  ///< products written
  std::uint64_t failures = 0;  ///< products that could not be written
};

/// Keeps what it read or wrote in memory as well. A failure to write loses the product, no more.
class ACCY_EXPORT DiskStore : public ProductStore {
 public:
  /// Makes the folder when it is missing. Errors: it cannot be made or read, it holds other things,
  /// it is of another version.
  static Result<std::unique_ptr<DiskStore>> open(const std::filesystem::path& folder,
                                                 DiskStoreOptions options);

  RevisionRef find(const ProductRequest& request, const ProductLookup& lookup) override;
  void insert(const ProductRequest& request, const RevisionRef& revision) override;

  DiskStoreCounters counters() const;
  /// Why the last product that could not be written was not; success when each was.
  Status last_failure() const;

 private:
  DiskStore(std::filesystem::path folder, DiskStoreOptions options)
      : folder_(std::move(folder)), options_(std::move(options)) {}

  Digest digest_of_request(const ProductRequest& request) const;
  RevisionRef read(const ProductRequest& request, const ProductLookup& lookup);
  Status write(const ProductRequest& request, const Revision& revision);
  void keep_within_limit(std::int64_t written_bytes);
  void count_damaged();

  std::filesystem::path folder_;
  DiskStoreOptions options_;
  MemoryStore memory_;
  mutable std::mutex mutex_;
  DiskStoreCounters counters_;
  Status last_failure_;
  std::int64_t bytes_ = -1;  ///< in the folder as far as this store knows; -1: not counted yet
};

// ---- upkeep of a store's folder, whoever uses it meanwhile ----

struct ACCY_EXPORT StoreUsage {
  std::uint64_t traces = 0;
  std::uint64_t objects = 0;
  std::uint64_t leftovers = 0;  ///< of writers that did not finish, or are at work
  std::int64_t bytes = 0;       ///< of all these files
};

/// A file that is not what its name says.
struct ACCY_EXPORT StoreFault {
  std::filesystem::path path;
  std::string what;
};

struct ACCY_EXPORT StoreCleanup {
  std::uint64_t removed = 0;  ///< files
  std::int64_t removed_bytes = 0;
  StoreUsage left;
};

/// Errors of all of these: the folder is no store, or cannot be read.
ACCY_EXPORT Result<StoreUsage> store_usage(const std::filesystem::path& folder);

/// Reads every file.
ACCY_EXPORT Result<std::vector<StoreFault>> verify_store(const std::filesystem::path& folder);

/// Removes what is damaged, what nothing names, old leftovers, and then what was not used for the
/// longest time until at most so many bytes are left.
ACCY_EXPORT Result<StoreCleanup> collect_garbage(const std::filesystem::path& folder,
                                                 std::int64_t bytes_maximum);

/// Writes all sound entries into one file.
ACCY_EXPORT Result<StoreUsage> export_store(const std::filesystem::path& folder,
                                            const std::filesystem::path& file);

/// Adds the entries of such a file to a store, which is made when it is missing. A file that is
/// damaged anywhere adds nothing.
ACCY_EXPORT Result<StoreUsage> import_store(const std::filesystem::path& folder,
                                            const std::filesystem::path& file);

}  // namespace accy::choir
