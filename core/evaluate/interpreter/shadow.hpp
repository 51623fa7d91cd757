// Shadow memory: who accessed an element last, to find accesses that nothing orders.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <utility>

#include "accy/result.hpp"

namespace accy::evaluate::interpreter {

/// Time of a run: an epoch lasts from barrier to barrier; epochs never repeat within a run.
struct Clock {
  std::uint32_t epoch = 0;
  std::uint32_t workgroup_start = 0;  ///< first epoch of the running workgroup
};

enum class Conflict : std::uint8_t {
  none,
  written_by_lane,  ///< by another lane since the last barrier
  read_by_lane,
  written_by_workgroup,  ///< by another workgroup of the same launch
  read_by_workgroup,
  uninitialized,  ///< workgroup memory that this workgroup has not written
};

/// What the conflict is with.
struct Finding {
  Conflict conflict = Conflict::none;
  std::uint32_t lane = 0;  ///< the other lane, where it is one
};

/// The record of one region of memory in cells of `granule` bytes, a power of two.
class Shadow {
 public:
  /// Fails when the host has no memory for it. `is_shared`: reading what was never written is a
  /// finding.
  static Result<Shadow> create(std::int64_t size_bytes, std::int64_t granule, bool is_shared);

  /// Records a read or write of bytes [offset, offset + size) by a lane; gives the first conflict.
  Finding read(const Clock& clock, std::int64_t offset, std::int64_t size, std::uint32_t lane) {
    const std::int64_t last = (offset + size - 1) >> shift_;
    for (std::int64_t index = offset >> shift_; index <= last; ++index) {
      const Finding finding = read_cell(clock, cells_[index], lane);
      if (finding.conflict != Conflict::none) return finding;
    }
    return {};
  }
  Finding write(const Clock& clock, std::int64_t offset, std::int64_t size, std::uint32_t lane) {
    const std::int64_t last = (offset + size - 1) >> shift_;
    for (std::int64_t index = offset >> shift_; index <= last; ++index) {
      const Finding finding = write_cell(clock, cells_[index], lane);
      if (finding.conflict != Conflict::none) return finding;
    }
    return {};
  }

  /// The lane number of a finding that stands for several lanes.
  static constexpr std::uint16_t many = 0x7fff;

 private:
  struct Cell {
    std::uint32_t write_epoch;  // 0: never in this run
    std::uint32_t read_epoch;
    std::uint16_t write_lane;
    std::uint16_t read_lane;  // with the flags below
  };
  static constexpr std::uint16_t foreign = 0x8000;  // an earlier workgroup has read it as well

  struct Release {
    void operator()(Cell* cells) const { std::free(cells); }
  };

  Finding read_cell(const Clock& clock, Cell& cell, std::uint32_t lane) const {
    if (cell.write_epoch < clock.workgroup_start) {
      if (is_shared_) return {Conflict::uninitialized, 0};
      if (cell.write_epoch != 0) return {Conflict::written_by_workgroup, 0};
    } else if (cell.write_epoch == clock.epoch && cell.write_lane != lane) {
      return {Conflict::written_by_lane, cell.write_lane};
    }
    const auto self = static_cast<std::uint16_t>(lane);
    if (cell.read_epoch == clock.epoch) {
      if ((cell.read_lane & many) != self)
        cell.read_lane = static_cast<std::uint16_t>((cell.read_lane & foreign) | many);
      return {};
    }
    const bool earlier = cell.read_epoch != 0 && cell.read_epoch < clock.workgroup_start;
    const std::uint16_t kept = earlier ? foreign : cell.read_lane & foreign;
    cell.read_lane = static_cast<std::uint16_t>(kept | self);
    cell.read_epoch = clock.epoch;
    return {};
  }

  Finding write_cell(const Clock& clock, Cell& cell, std::uint32_t lane) const {
    if (cell.write_epoch == clock.epoch && cell.write_lane != lane)
      return {Conflict::written_by_lane, cell.write_lane};
    if (cell.read_epoch == clock.epoch && (cell.read_lane & many) != lane)
      return {Conflict::read_by_lane, static_cast<std::uint32_t>(cell.read_lane & many)};
    if (!is_shared_) {
      if (cell.write_epoch != 0 && cell.write_epoch < clock.workgroup_start)
        return {Conflict::written_by_workgroup, 0};
      const bool earlier = cell.read_epoch != 0 && cell.read_epoch < clock.workgroup_start;
      if (earlier || (cell.read_epoch != 0 && (cell.read_lane & foreign) != 0))
        return {Conflict::read_by_workgroup, 0};
    }
    cell.write_epoch = clock.epoch;
    cell.write_lane = static_cast<std::uint16_t>(lane);
    return {};
  }

  Shadow(std::unique_ptr<Cell[], Release> cells, int shift, bool is_shared)
      : cells_(std::move(cells)), shift_(shift), is_shared_(is_shared) {}

  std::unique_ptr<Cell[], Release> cells_;
  int shift_;  // log2 of the granule
  bool is_shared_;
};

}  // namespace accy::evaluate::interpreter
