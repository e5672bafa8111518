// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <cstdlib>
#include <optional>

#include "connect/testing/test_server.h"
#include "os/file.h"

namespace protium::connect {
namespace {

constexpr const char* kRoots = "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH";

struct Identity {
  std::string certificate;  // Both as PEM.
  std::string key;
};

template <class Write>
std::string Pem(Write write) {
  BIO* const out = BIO_new(BIO_s_mem());
  EXPECT_EQ(write(out), 1);
  char* data = nullptr;
  const long size = BIO_get_mem_data(out, &data);
  std::string text(data, static_cast<size_t>(size));
  BIO_free(out);
  return text;
}

// Makes the identity of a self-signed server at 127.0.0.1.
Identity MakeIdentity() {
  EVP_PKEY* const key = EVP_EC_gen("P-256");
  X509* const certificate = X509_new();
  X509_set_version(certificate, 2);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1);
  X509_gmtime_adj(X509_getm_notBefore(certificate), -3600);
  X509_gmtime_adj(X509_getm_notAfter(certificate), 3600);
  X509_set_pubkey(certificate, key);
  X509_NAME* const name = X509_get_subject_name(certificate);
  const auto* text = reinterpret_cast<const unsigned char*>("a test");
  X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, text, -1, -1, 0);
  X509_set_issuer_name(certificate, name);
  X509_EXTENSION* const names =
      X509V3_EXT_conf_nid(nullptr, nullptr, NID_subject_alt_name, "IP:127.0.0.1");
  X509_add_ext(certificate, names, -1);
  X509_EXTENSION_free(names);
  EXPECT_NE(X509_sign(certificate, key, EVP_sha256()), 0);
  const Identity identity{
      .certificate = Pem([&](BIO* out) { return PEM_write_bio_X509(out, certificate); }),
      .key = Pem([&](BIO* out) {
        return PEM_write_bio_PrivateKey(out, key, nullptr, nullptr, 0, nullptr, nullptr);
      })};
  X509_free(certificate);
  EVP_PKEY_free(key);
  return identity;
}

class Tls : public testing::Test {
 protected:
  Tls() : server_(Credentials(identity_)) { server_.token = "s3cret"; }
  ~Tls() override {
    if (before_) {
      setenv(kRoots, before_->c_str(), 1);
    } else {
      unsetenv(kRoots);
    }
  }

  static std::shared_ptr<grpc::ServerCredentials> Credentials(const Identity& identity) {
    grpc::SslServerCredentialsOptions options;
    options.pem_key_cert_pairs.push_back({identity.key, identity.certificate});
    return grpc::SslServerCredentials(options);
  }

  // Opens a session that trusts only `certificate`.
  Result<std::unique_ptr<SparkSession>> Open(const std::string& certificate) {
    const std::string path = folder_.path() / "roots.pem";
    EXPECT_TRUE(WriteFile(path, certificate).ok());
    setenv(kRoots, path.c_str(), 1);
    PT_LET(auto address, ParseSparkAddress(server_.address() + "/;use_ssl=true;token=s3cret", ""));
    return SparkSession::Open(std::move(address), Call{}, TestServer::Quick());
  }

  const std::optional<std::string> before_ = std::getenv(kRoots) == nullptr
                                                 ? std::nullopt
                                                 : std::optional<std::string>(std::getenv(kRoots));
  const Identity identity_ = MakeIdentity();
  TemporaryFolder folder_ = *TemporaryFolder::Make();
  TestServer server_;
};

TEST_F(Tls, ReachesAServerThatProvesItself) {
  const auto session = Open(identity_.certificate);
  ASSERT_TRUE(session.ok()) << session.status().ToString();
  EXPECT_TRUE((*session)->SetConf({{"a", "b"}}, Call{}).ok());
}

TEST_F(Tls, TellsNothingToAServerThatCannotProveItself) {
  const auto session = Open(MakeIdentity().certificate);
  ASSERT_FALSE(session.ok());
  EXPECT_EQ(FaultOf(session.status()).exit, Exit::kRemote);
}

TEST_F(Tls, SaysWhichFileOfRootsCannotBeRead) {
  setenv(kRoots, "/nonexistent/roots.pem", 1);
  const auto address = ParseSparkAddress("sc://h/;use_ssl=true", "");
  const auto session = SparkSession::Open(*address, Call{}, TestServer::Quick());
  ASSERT_FALSE(session.ok());
  EXPECT_NE(session.status().message().find("/nonexistent/roots.pem"), std::string::npos);
}

}  // namespace
}  // namespace protium::connect
