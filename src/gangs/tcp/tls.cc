// SPDX-License-Identifier: Apache-2.0
#include "tcp/tls.h"

#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>

#include "base/digest.h"
#include "base/fault.h"

namespace protium {
namespace {

template <auto kFree>
struct Freeing {
  template <class T>
  void operator()(T* object) const {
    kFree(object);
  }
};
using Ssl = std::unique_ptr<SSL, Freeing<SSL_free>>;
using SslContext = std::unique_ptr<SSL_CTX, Freeing<SSL_CTX_free>>;
using Certificate = std::unique_ptr<X509, Freeing<X509_free>>;
using PrivateKey = std::unique_ptr<EVP_PKEY, Freeing<EVP_PKEY_free>>;
using BioMethod = std::unique_ptr<BIO_METHOD, Freeing<BIO_meth_free>>;

Status TlsFault(std::string_view doing) {
  const unsigned long code = ERR_get_error();
  const char* reason = code == 0 ? nullptr : ERR_reason_error_string(code);
  ERR_clear_error();
  return Fail({.exit = Exit::kRemote,
               .what = "TLS failed while " + std::string(doing) + ": " +
                       (reason == nullptr ? "the connection ended" : reason)});
}

// OpenSSL's own socket BIO would raise SIGPIPE. The descriptor is the BIO's data.
int GetFd(BIO* bio) { return int(reinterpret_cast<intptr_t>(BIO_get_data(bio))); }

int Moved(BIO* bio, ssize_t moved, int retry) {
  BIO_clear_retry_flags(bio);
  if (moved < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) {
    BIO_set_flags(bio, retry | BIO_FLAGS_SHOULD_RETRY);
  }
  return int(moved);
}

int BioWrite(BIO* bio, const char* bytes, int count) {
  return Moved(bio, ::send(GetFd(bio), bytes, size_t(count), MSG_NOSIGNAL | MSG_DONTWAIT),
               BIO_FLAGS_WRITE);
}

int BioRead(BIO* bio, char* bytes, int count) {
  return Moved(bio, ::recv(GetFd(bio), bytes, size_t(count), MSG_DONTWAIT), BIO_FLAGS_READ);
}

long BioControl(BIO*, int command, long, void*) { return command == BIO_CTRL_FLUSH ? 1 : 0; }

Result<BioMethod> MakeBioMethod() {
  BioMethod method(BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "protium socket"));
  if (!method) return TlsFault("setting it up");
  BIO_meth_set_write(method.get(), BioWrite);
  BIO_meth_set_read(method.get(), BioRead);
  BIO_meth_set_ctrl(method.get(), BioControl);
  return method;
}

Result<Certificate> SelfSigned(EVP_PKEY* key) {
  Certificate certificate(X509_new());
  constexpr long kTenYears = 10L * 365 * 24 * 3600;
  if (!certificate || X509_set_version(certificate.get(), 2) != 1 ||
      ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), 1) != 1 ||
      // Valid from a day ago, for hosts whose clocks differ.
      X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -24L * 3600) == nullptr ||
      X509_gmtime_adj(X509_getm_notAfter(certificate.get()), kTenYears) == nullptr ||
      X509_set_pubkey(certificate.get(), key) != 1) {
    return TlsFault("making a certificate");
  }
  X509_NAME* name = X509_get_subject_name(certificate.get());
  const auto* text = reinterpret_cast<const unsigned char*>("protium rank");
  if (X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, text, -1, -1, 0) != 1 ||
      X509_set_issuer_name(certificate.get(), name) != 1 ||
      X509_sign(certificate.get(), key, EVP_sha256()) == 0) {
    return TlsFault("making a certificate");
  }
  return certificate;
}

std::string ComputeFingerprint(X509* certificate) {
  unsigned char* der = nullptr;
  const int bytes = i2d_X509(certificate, &der);
  if (bytes <= 0) return "";
  std::string hex = Sha256Hex({reinterpret_cast<const char*>(der), size_t(bytes)});
  OPENSSL_free(der);
  return hex;
}

// The chain means nothing here: the fingerprint is compared after the handshake.
int AcceptAny(int, X509_STORE_CTX*) { return 1; }

Result<SslContext> MakeContext(X509* certificate, EVP_PKEY* key) {
  SslContext context(SSL_CTX_new(TLS_method()));
  if (!context || SSL_CTX_set_min_proto_version(context.get(), TLS1_3_VERSION) != 1 ||
      SSL_CTX_use_certificate(context.get(), certificate) != 1 ||
      SSL_CTX_use_PrivateKey(context.get(), key) != 1 ||
      // Nobody resumes, and unread tickets would turn a close into a reset.
      SSL_CTX_set_num_tickets(context.get(), 0) != 1) {
    return TlsFault("setting it up");
  }
  // Both sides must show a certificate; without FAIL_IF_NO_PEER_CERT a caller may omit its own.
  SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, AcceptAny);
  // Sends may move a part, and a retry may pass another address: the service's queue moves in
  // memory as it grows.
  SSL_CTX_set_mode(context.get(),
                   SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  SSL_CTX_set_session_cache_mode(context.get(), SSL_SESS_CACHE_OFF);
  return context;
}

class TlsConnection : public TcpConnection {
 public:
  TlsConnection(UniqueFd socket, std::shared_ptr<BIO_METHOD> method, Ssl ssl)
      : TcpConnection(std::move(socket)), method_(std::move(method)), ssl_(std::move(ssl)) {}

  int64_t Send(std::span<const iovec> parts) override {
    // One part per call: TLS makes records of what it is given, and gathering would copy first.
    for (const iovec& part : parts) {
      if (part.iov_len == 0) continue;
      size_t sent = 0;
      ERR_clear_error();
      const int result = SSL_write_ex(ssl_.get(), part.iov_base, part.iov_len, &sent);
      return result == 1 ? int64_t(sent) : Outcome(result);
    }
    return kMustWait;
  }

  int64_t Receive(std::span<std::byte> into) override {
    size_t got = 0;
    ERR_clear_error();
    const int result = SSL_read_ex(ssl_.get(), into.data(), into.size(), &got);
    return result == 1 ? int64_t(got) : Outcome(result);
  }

  bool held() const override { return SSL_pending(ssl_.get()) > 0; }

  Result<std::string> Binding() const override {
    // Keying material exporters: RFC 8446, section 7.5; the "EXPORTER" prefix is that of RFC 5705.
    constexpr std::string_view kLabel = "EXPORTER-protium-gang";
    std::string binding(32, '\0');
    if (SSL_export_keying_material(ssl_.get(), reinterpret_cast<unsigned char*>(binding.data()),
                                   binding.size(), kLabel.data(), kLabel.size(), nullptr, 0,
                                   0) != 1) {
      return TlsFault("binding the proof to the connection");
    }
    return binding;
  }

  Status Handshake(TlsSide side, const Patience& patience) {
    for (;;) {
      ERR_clear_error();
      const int result =
          side == TlsSide::kCaller ? SSL_connect(ssl_.get()) : SSL_accept(ssl_.get());
      if (result == 1) return Status::OK();
      const int error = SSL_get_error(ssl_.get(), result);
      if (error != SSL_ERROR_WANT_READ && error != SSL_ERROR_WANT_WRITE) {
        return TlsFault("shaking hands");
      }
      PT_TRY(AwaitEvents(fd(), error == SSL_ERROR_WANT_READ ? POLLIN : POLLOUT, patience));
    }
  }

  Status CheckCertificate(const std::string& fingerprint) const {
    const Certificate certificate(SSL_get1_peer_certificate(ssl_.get()));
    if (certificate && ComputeFingerprint(certificate.get()) == fingerprint) return Status::OK();
    return Fail({.exit = Exit::kRemote,
                 .what = "the other side's TLS certificate is not the one on its card"});
  }

 private:
  int64_t Outcome(int result) const {
    const int error = SSL_get_error(ssl_.get(), result);
    ERR_clear_error();
    return error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE ? kMustWait : kEnded;
  }

  std::shared_ptr<BIO_METHOD> method_;  // Outlives the BIO in ssl_.
  Ssl ssl_;
};

}  // namespace

struct TlsIdentity::Context {
  SslContext ssl;
  std::shared_ptr<BIO_METHOD> bio;
};

TlsIdentity::TlsIdentity(std::unique_ptr<Context> context) : context_(std::move(context)) {}
TlsIdentity::~TlsIdentity() = default;

Result<std::shared_ptr<const TlsIdentity>> TlsIdentity::Make() {
  const PrivateKey key(EVP_EC_gen("P-256"));
  if (!key) return TlsFault("making a key");
  PT_LET(const Certificate certificate, SelfSigned(key.get()));
  auto context = std::make_unique<Context>();
  PT_LET(context->ssl, MakeContext(certificate.get(), key.get()));
  PT_LET(BioMethod method, MakeBioMethod());
  context->bio = std::move(method);
  std::shared_ptr<TlsIdentity> identity(new TlsIdentity(std::move(context)));
  identity->fingerprint_ = ComputeFingerprint(certificate.get());
  return std::shared_ptr<const TlsIdentity>(std::move(identity));
}

Result<std::unique_ptr<TcpConnection>> MakeTlsConnection(UniqueFd socket,
                                                         const TlsIdentity& identity, TlsSide side,
                                                         const std::string& fingerprint,
                                                         const Patience& patience) {
  const TlsIdentity::Context& context = identity.context();
  Ssl ssl(SSL_new(context.ssl.get()));
  BIO* bio = ssl == nullptr ? nullptr : BIO_new(context.bio.get());
  if (bio == nullptr) return TlsFault("setting it up");
  BIO_set_data(bio, reinterpret_cast<void*>(intptr_t{socket.get()}));
  BIO_set_init(bio, 1);
  SSL_set_bio(ssl.get(), bio, bio);
  auto connection = std::make_unique<TlsConnection>(std::move(socket), context.bio, std::move(ssl));
  PT_TRY(connection->Handshake(side, patience));
  PT_TRY(connection->CheckCertificate(fingerprint));
  return std::unique_ptr<TcpConnection>(std::move(connection));
}

}  // namespace protium
