// SPDX-License-Identifier: Apache-2.0
#include <ratecoord/curl.hpp>

#include <fcntl.h>

#include <string>

#include "support/catch.hpp"
#include "support/child_process.hpp"
#include "support/scratch_directory.hpp"

using namespace ratecoord;
using namespace ratecoord::testing;

namespace {

/// `openssl s_server` on a free port of loopback, with a certificate that nobody has signed.
class SelfSignedServer {
  public:
    explicit SelfSignedServer(const std::string& directory) {
        const std::string key = directory + "/key.pem";
        const std::string certificate = directory + "/certificate.pem";
        auto maker = ChildProcess([&] {
            quiet();
            return ::execlp("openssl", "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                            "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj",
                            "/CN=127.0.0.1", "-keyout", key.c_str(), "-out", certificate.c_str(),
                            static_cast<char*>(nullptr));
        });
        REQUIRE(maker.wait() == 0);
        int said[2];
        REQUIRE(::pipe2(said, O_CLOEXEC) == 0);
        server_ = ChildProcess([&] {
            ::dup2(said[1], STDOUT_FILENO);
            quiet();
            return ::execlp("openssl", "openssl", "s_server", "-accept", "127.0.0.1:0", "-key",
                            key.c_str(), "-cert", certificate.c_str(), "-www",
                            static_cast<char*>(nullptr));
        });
        ::close(said[1]);
        port_ = port_named_in(said[0]);
        ::close(said[0]);
    }
    std::string url() const { return "https://127.0.0.1:" + port_ + "/"; }

  private:
    static void quiet() {
        const int nowhere = ::open("/dev/null", O_WRONLY);
        ::dup2(nowhere, STDERR_FILENO);
    }

    /// What follows the colon of the line "ACCEPT 127.0.0.1:43210"; empty if there is none.
    static std::string port_named_in(int fd) {
        std::string text;
        char next = 0;
        while (text.size() < 4096 && ::read(fd, &next, 1) == 1) {
            if (next != '\n') {
                text += next;
            } else if (text.rfind("ACCEPT", 0) == 0) {
                return text.substr(text.rfind(':') + 1);
            } else {
                text.clear();
            }
        }
        return {};
    }

    ChildProcess server_;
    std::string port_;
};

Reply post(const std::string& url, bool trusts_anybody, std::string& body) {
    CURL* const easy = curl_easy_init();
    curl_easy_setopt(easy, CURLOPT_URL, url.c_str());
    curl_easy_setopt(easy, CURLOPT_PROXY, "");
    curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, 20'000L);
    curl_easy_setopt(easy, CURLOPT_POSTFIELDS, "side=BUY");
    curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, trusts_anybody ? 0L : 1L);
    curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, trusts_anybody ? 0L : 2L);
    Reply reply;
    {
        CurlExchange exchange(easy);
        reply = exchange.perform(body);
        reply.headers = {};  // they stand in the exchange
    }
    curl_easy_cleanup(easy);
    return reply;
}

}  // namespace

TEST_CASE("E17, curl: a certificate that is not to be trusted: not sent") {
    const ScratchDirectory scratch;
    const SelfSignedServer server(scratch.path());
    std::string body;
    CHECK(post(server.url(), false, body).transport == Transport::not_sent);
    CHECK(body.empty());
    // The same server is fit to answer: it was the certificate.
    CHECK(post(server.url(), true, body).transport != Transport::not_sent);
}
