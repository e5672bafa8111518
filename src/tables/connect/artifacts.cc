// SPDX-License-Identifier: Apache-2.0
#include "connect/artifacts.h"

#include <fcntl.h>
#include <grpcpp/support/sync_stream.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>

#include "events/events.h"
#include "os/fd.h"

// A file of one chunk is sent as a batch of one, a larger one as begin_chunk (name, bytes, number
// of chunks, first chunk) and further chunks. The server checks each chunk's CRC and reports the
// result per file in its response. Files are read with pread chunk by chunk, since bundles have
// hundreds of megabytes.

namespace protium::connect {

namespace {

constexpr auto kTellEvery = std::chrono::milliseconds(500);
// The deadline of one try is kUploadLimit plus the time that the file takes at this rate. A slower
// upload is not worth waiting for, and if a stream accepts no byte, no server is behind it.
constexpr int64_t kSlowestBytesPerSecond = 256 << 10;
constexpr auto kUploadLimit = Milliseconds(120'000);

// The bytes of an artifact, read piece by piece; a file is held open, so that it stays the same
// file to the end.
class Content {
 public:
  static Result<Content> Open(const Artifact& artifact) {
    Content content(artifact);
    if (const auto* bytes = std::get_if<std::string>(&artifact.content)) {
      content.size_ = static_cast<int64_t>(bytes->size());
      return content;
    }
    const auto& path = std::get<std::filesystem::path>(artifact.content);
    content.fd_ = UniqueFd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
    struct stat state {};
    if (!content.fd_ || fstat(content.fd_.get(), &state) != 0 || !S_ISREG(state.st_mode)) {
      return Fail({.exit = Exit::kInput, .what = "cannot read " + path.string()});
    }
    content.size_ = state.st_size;
    return content;
  }

  int64_t size() const { return size_; }

  Result<std::string> Read(int64_t offset, int64_t length) const {
    if (const auto* bytes = std::get_if<std::string>(&artifact_->content)) {
      return bytes->substr(static_cast<size_t>(offset), static_cast<size_t>(length));
    }
    std::string piece(static_cast<size_t>(length), '\0');
    // pread may return less than requested, above all on a network file system.
    int64_t got = 0;
    while (got < length) {
      const ssize_t read = pread(fd_.get(), piece.data() + got, piece.size() - got, offset + got);
      if (read < 0 && errno == EINTR) continue;
      if (read <= 0) {
        return Fail(
            {.exit = Exit::kInput,
             .what = "cannot read " + std::get<std::filesystem::path>(artifact_->content).string(),
             .why = read == 0 ? "it became shorter while it was read"
                              : "errno " + std::to_string(errno)});
      }
      got += read;
    }
    return piece;
  }

 private:
  explicit Content(const Artifact& artifact) : artifact_(&artifact) {}

  const Artifact* artifact_;
  UniqueFd fd_;
  int64_t size_ = 0;
};

void SetChunk(std::string bytes, proto::AddArtifactsRequest::ArtifactChunk* chunk) {
  chunk->set_crc(Crc32(bytes));
  chunk->set_data(std::move(bytes));
}

// One try to upload one artifact.
class Uploader {
 public:
  Uploader(Wire& wire, const Artifact& artifact, const Content& content, int64_t chunk_bytes,
           const Call& call)
      : wire_(wire),
        artifact_(artifact),
        content_(content),
        chunk_bytes_(std::max<int64_t>(1, chunk_bytes)),
        call_(call) {}

  // Returns the status of the call; failed() returns errors on this side.
  grpc::Status Try(proto::AddArtifactsResponse* response) {
    const Milliseconds slow(content_.size() * 1000 / kSlowestBytesPerSecond);
    grpc::ClientContext context;
    wire_.Prepare(context, std::min(call_.deadline, Clock::now() + kUploadLimit + slow));
    return Wire::Cancelling(context, call_, [&] {
      auto writer = wire_.stub().AddArtifacts(&context, response);
      failed_ = WriteAll(*writer);
      // Otherwise the server would accept the partial content as the whole.
      if (!failed_.ok()) context.TryCancel();
      writer->WritesDone();
      return writer->Finish();
    });
  }
  const Status& failed() const { return failed_; }

 private:
  Status WriteAll(grpc::ClientWriter<proto::AddArtifactsRequest>& writer) {
    const int64_t count = std::max<int64_t>(1, (content_.size() + chunk_bytes_ - 1) / chunk_bytes_);
    for (int64_t i = 0; i < count; ++i) {
      const int64_t offset = i * chunk_bytes_;
      PT_LET(std::string piece,
             content_.Read(offset, std::min(chunk_bytes_, content_.size() - offset)));
      proto::AddArtifactsRequest request;
      wire_.Sign(request);
      Fill(request, i, count, std::move(piece));
      // The server ended the call; Finish() gives the reason.
      if (!writer.Write(request)) return Status::OK();
      Report(std::min(offset + chunk_bytes_, content_.size()));
    }
    return Status::OK();
  }

  void Fill(proto::AddArtifactsRequest& request, int64_t index, int64_t count, std::string piece) {
    if (count == 1) {
      auto* single = request.mutable_batch()->add_artifacts();
      single->set_name(artifact_.name);
      SetChunk(std::move(piece), single->mutable_data());
    } else if (index == 0) {
      auto* begin = request.mutable_begin_chunk();
      begin->set_name(artifact_.name);
      begin->set_total_bytes(content_.size());
      begin->set_num_chunks(count);
      SetChunk(std::move(piece), begin->mutable_initial_chunk());
    } else {
      SetChunk(std::move(piece), request.mutable_chunk());
    }
  }

  void Report(int64_t bytes) {
    const Deadline now = Clock::now();
    if (bytes < content_.size() && now < told_ + kTellEvery) return;
    told_ = now;
    call_.Send(Uploading{artifact_.name, bytes, content_.size()});
  }

  Wire& wire_;
  const Artifact& artifact_;
  const Content& content_;
  const int64_t chunk_bytes_;
  const Call& call_;
  Status failed_;
  Deadline told_{};
};

Status CheckSums(const proto::AddArtifactsResponse& response, const std::string& name) {
  for (const auto& each : response.artifacts()) {
    if (each.is_crc_successful()) continue;
    return Fail({.exit = Exit::kRemote,
                 .what = "the Spark server received " + name + " damaged",
                 .why = "the checksum of a chunk does not match its bytes",
                 .fix = "try again"});
  }
  // Otherwise a response without any file would count as success.
  if (response.artifacts_size() > 0) return Status::OK();
  return Status::UnknownError("the Spark server did not confirm that it received ", name);
}

Status UploadOne(Wire& wire, const Artifact& artifact, int64_t chunk_bytes, const Call& call) {
  PT_LET(const Content content, Content::Open(artifact));
  const std::string doing = "upload of " + artifact.name;
  Retries retries(wire.retry());
  while (true) {
    Uploader uploader(wire, artifact, content, chunk_bytes, call);
    proto::AddArtifactsResponse response;
    const grpc::Status status = uploader.Try(&response);
    PT_TRY(uploader.failed());
    if (status.ok()) {
      PT_TRY(wire.CheckServer(response.server_side_session_id()));
      return CheckSums(response, artifact.name);
    }
    PT_TRY(wire.WaitToRetry(status, doing, call, retries));
  }
}

}  // namespace

uint32_t Crc32(std::string_view bytes) {
  return static_cast<uint32_t>(
      crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

Status Upload(Wire& wire, const std::vector<Artifact>& artifacts, int64_t chunk_bytes,
              const Call& call) {
  for (const Artifact& artifact : artifacts) {
    PT_TRY(UploadOne(wire, artifact, chunk_bytes, call));
  }
  return Status::OK();
}

}  // namespace protium::connect
