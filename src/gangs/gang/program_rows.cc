// SPDX-License-Identifier: Apache-2.0
#include "gang/program_rows.h"

#include <arrow/array/builder_binary.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/io/file.h>
#include <arrow/ipc/writer.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <fstream>

#include "base/fault.h"
#include "format/file_writer.h"

namespace protium {

namespace {

namespace fs = std::filesystem;

// The descriptor numbers in the program; its variables name them.
constexpr int kInputFd = 3, kOutputFd = 4;
// Bytes in an emitted row; what came through the descriptor is cut up to a block later.
constexpr size_t kPiece = 1 << 20;

// Writes an Arrow stream into a file that has no name any more when it is read.
class StreamWriter {
 public:
  static Result<std::unique_ptr<StreamWriter>> Make(const std::string& path,
                                                    const SchemaPtr& schema) {
    auto writer = std::make_unique<StreamWriter>();
    PT_LET(writer->file_, arrow::io::FileOutputStream::Open(path));
    PT_LET(writer->batches_, arrow::ipc::MakeStreamWriter(writer->file_, schema));
    return writer;
  }
  Status Write(const arrow::RecordBatch& batch) { return batches_->WriteRecordBatch(batch); }
  Status Close() {
    PT_TRY(batches_->Close());
    return file_->Close();
  }

 private:
  std::shared_ptr<arrow::io::FileOutputStream> file_;
  std::shared_ptr<arrow::ipc::RecordBatchWriter> batches_;
};

// Calls `write` with every batch; returns the number of rows.
Result<int64_t> EachBatchOf(BatchStream& input, const std::function<bool()>& wanted,
                            const std::function<Status(const arrow::RecordBatch&)>& write) {
  int64_t rows = 0;
  while (wanted()) {
    PT_LET(const auto batch, input.Next());
    if (!batch) return rows;
    rows += batch->num_rows();
    if (write) PT_TRY(write(*batch));
  }
  return Fail({.exit = Exit::kStopped, .what = "the program was not started"});
}

}  // namespace

Result<std::unique_ptr<ProgramRows>> ProgramRows::Read(TaskContext& context,
                                                       const ProgramSpec& spec,
                                                       const std::function<bool()>& wanted) {
  std::unique_ptr<ProgramRows> rows(new ProgramRows(context));
  if (spec.input != ProgramInput::kNone || spec.output) {
    fs::path base = spec.scratch;
    if (base.empty()) {
      PT_LET(TemporaryFolder own, TemporaryFolder::Make());
      base = own.path();
      rows->own_.emplace(std::move(own));
    }
    // Ranks of one machine have the same `scratch`, and so have attempts.
    rows->folder_ = base / fmt::format("rank-{}-{}", context.rank(), context.attempt());
    PT_TRY(MakeFolder(rows->folder_));
  }
  PT_TRY(rows->Spool(spec, wanted));
  if (spec.output) PT_TRY(rows->OpenOutput());
  return rows;
}

ProgramRows::~ProgramRows() {
  std::error_code ignored;
  if (!folder_.empty()) fs::remove_all(folder_, ignored);
}

Status ProgramRows::Spool(const ProgramSpec& spec, const std::function<bool()>& wanted) {
  BatchStream& input = context_.input();
  if (spec.input == ProgramInput::kNone) return EachBatchOf(input, wanted, nullptr).status();
  if (spec.input == ProgramInput::kParquet) {
    file_ = folder_ / "input.parquet";
    PT_LET(const auto writer, FileWriter::MakeQuick(file_, input.schema()));
    PT_LET(rows_,
           EachBatchOf(input, wanted, [&](const auto& batch) { return writer->Write(batch); }));
    return writer->Commit();
  }
  const std::string path = folder_ / "input.arrows";
  PT_LET(const auto writer, StreamWriter::Make(path, input.schema()));
  PT_LET(rows_,
         EachBatchOf(input, wanted, [&](const auto& batch) { return writer->Write(batch); }));
  PT_TRY(writer->Close());
  stream_ = UniqueFd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!stream_) return SystemFault("read " + path, errno);
  // Its bytes live as long as a descriptor of it is open, so a rank that is killed leaves nothing
  // behind.
  ::unlink(path.c_str());
  return Status::OK();
}

Status ProgramRows::OpenOutput() {
  PT_LET(Pipe ends, Pipe::Make());
  output_ = std::move(ends.read);
  writer_ = std::move(ends.write);
  wants_output_ = true;
  // Only our end: the program still waits when the pipe is full.
  ::fcntl(output_.get(), F_SETFL, O_NONBLOCK);
  return Status::OK();
}

std::vector<std::pair<std::string, std::string>> ProgramRows::variables() const {
  std::vector<std::pair<std::string, std::string>> all;
  if (!file_.empty()) all.emplace_back("PROTIUM_INPUT", file_);
  if (stream_) all.emplace_back("PROTIUM_INPUT_FD", std::to_string(kInputFd));
  if (rows_ >= 0) all.emplace_back("PROTIUM_INPUT_ROWS", std::to_string(rows_));
  if (writer_) {
    all.emplace_back("PROTIUM_OUTPUT", folder_ / "output");
    all.emplace_back("PROTIUM_OUTPUT_FD", std::to_string(kOutputFd));
  }
  return all;
}

std::vector<std::pair<int, int>> ProgramRows::fds() const {
  std::vector<std::pair<int, int>> all;
  if (stream_) all.emplace_back(stream_.get(), kInputFd);
  if (writer_) all.emplace_back(writer_.get(), kOutputFd);
  return all;
}

void ProgramRows::Started() {
  stream_.reset();
  writer_.reset();
}

Status ProgramRows::ReadOutput() {
  std::array<char, 64 << 10> block;
  const ssize_t got = ::read(output_.get(), block.data(), block.size());
  if (got > 0) {
    streamed_ = true;
    held_.append(block.data(), size_t(got));
    return held_.size() >= kPiece ? EmitHeld() : Status::OK();
  }
  if (got < 0 && (errno == EINTR || errno == EAGAIN)) return Status::OK();
  const int error = got < 0 ? errno : 0;
  output_.reset();
  return error == 0 ? EmitHeld() : SystemFault("read what a program writes", error);
}

Status ProgramRows::EmitHeld() {
  if (held_.empty()) return Status::OK();
  arrow::Int32Builder rank;
  arrow::BinaryBuilder bytes;
  PT_TRY(rank.Append(context_.rank()));
  PT_TRY(bytes.Append(held_));
  held_.clear();
  PT_LET(const auto ranks, rank.Finish());
  PT_LET(const auto pieces, bytes.Finish());
  return context_.Emit(*arrow::RecordBatch::Make(ProgramColumns(), 1, {ranks, pieces}));
}

Status ProgramRows::Finish() {
  // All writers have ended, so the end of the pipe follows what is left in it.
  while (output_) PT_TRY(ReadOutput());
  // If nobody asked for the program's rows, a file of that name is its own business.
  if (!wants_output_) return Status::OK();
  std::ifstream file(folder_ / "output", std::ios::binary);
  if (!file) return Status::OK();
  // It would be undefined which of the two is the table, or comes first.
  if (streamed_) {
    return Fail({.what = fmt::format("rank {} wrote rows to PROTIUM_OUTPUT and to "
                                     "PROTIUM_OUTPUT_FD",
                                     context_.rank()),
                 .fix = "use one of them"});
  }
  held_.resize(kPiece);
  while (file.read(held_.data(), kPiece) || file.gcount() > 0) {
    // EmitHeld() emits all that it holds, and the last piece is shorter.
    held_.resize(size_t(file.gcount()));
    PT_TRY(EmitHeld());
    held_.resize(kPiece);
  }
  held_.clear();
  // The end of a file sets both of these bits, a disk error another one.
  return file.bad() ? SystemFault("read " + (folder_ / "output").string(), errno) : Status::OK();
}

}  // namespace protium
