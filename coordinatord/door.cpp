// SPDX-License-Identifier: Apache-2.0
#include "coordinatord/door.hpp"

#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/steady_timer.hpp>

#include <grp.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include "coordinatord/session.hpp"

namespace coordinatord {
namespace {

namespace asio = boost::asio;
using asio::generic::stream_protocol;
using Acceptor = asio::basic_socket_acceptor<stream_protocol>;
using Error = boost::system::error_code;
using ratecoord::ErrorCode;
using ratecoord::fail;
using ratecoord::Result;

std::string name_of(const ListenConfig& listen) {
    if (!listen.socket.empty()) return "unix:" + listen.socket;
    return (listen.host.find(':') == std::string::npos ? listen.host : '[' + listen.host + ']') +
           ':' + std::to_string(listen.port);
}

tl::unexpected<ratecoord::Error> cannot_listen(const ListenConfig& listen, const Error& error) {
    const bool is_taken = error == asio::error::address_in_use;
    const bool is_denied = error == asio::error::access_denied;
    return fail(is_taken    ? ErrorCode::busy
                : is_denied ? ErrorCode::permission_denied
                            : ErrorCode::system,
                "cannot listen on " + name_of(listen) + ": " + error.message(),
                is_taken    ? "end what listens there, or choose another [listen] address"
                : is_denied ? "choose a port above 1023 or a directory that can be written"
                            : "choose an address of this host in [listen]",
                error.value());
}

Result<stream_protocol::endpoint> endpoint_of(asio::io_context& loop, const ListenConfig& listen) {
    Error error;
    if (!listen.socket.empty()) {
        return stream_protocol::endpoint(asio::local::stream_protocol::endpoint(listen.socket));
    }
    const auto address = asio::ip::make_address(listen.host, error);
    if (!error) return stream_protocol::endpoint(asio::ip::tcp::endpoint(address, listen.port));
    asio::ip::tcp::resolver resolver(loop);
    const auto found = resolver.resolve(listen.host, std::to_string(listen.port), error);
    if (error) return cannot_listen(listen, error);
    return stream_protocol::endpoint(found.begin()->endpoint());
}

/// A socket that a daemon left when it was killed; one that somebody listens on stays.
Result<void> remove_stale(asio::io_context& loop, const ListenConfig& listen) {
    struct stat status {};
    if (::lstat(listen.socket.c_str(), &status) != 0) return {};
    if (!S_ISSOCK(status.st_mode)) {
        return fail(ErrorCode::already_exists, listen.socket + " is there and is no socket",
                    "choose another path in [listen]");
    }
    asio::local::stream_protocol::socket probe(loop);
    Error error;
    probe.connect(asio::local::stream_protocol::endpoint(listen.socket), error);
    if (!error) return cannot_listen(listen, asio::error::address_in_use);
    if (::unlink(listen.socket.c_str()) != 0) {
        return cannot_listen(listen, Error(errno, boost::system::system_category()));
    }
    return {};
}

Result<void> share_socket(const ListenConfig& listen, const std::string& group) {
    const auto failed = [&] {
        return cannot_listen(listen, Error(errno, boost::system::system_category()));
    };
    if (!group.empty()) {
        const struct group* const entry = ::getgrnam(group.c_str());
        if (entry == nullptr) {
            return fail(ErrorCode::invalid_argument, "there is no group '" + group + "'",
                        "add it with 'groupadd --system " + group + "'");
        }
        if (::chown(listen.socket.c_str(), static_cast<uid_t>(-1), entry->gr_gid) != 0) {
            return failed();
        }
    }
    if (::chmod(listen.socket.c_str(), 0660) != 0) return failed();
    return {};
}

/// Half of what files this process may have open is left to segments and saved state.
std::size_t bounded_by_files(std::size_t connections) {
    struct rlimit files {};
    if (::getrlimit(RLIMIT_NOFILE, &files) != 0) return connections;
    return std::min<std::size_t>(connections, std::max<std::size_t>(files.rlim_cur / 2, 4));
}

}  // namespace

class Door::Core : public std::enable_shared_from_this<Core> {
  public:
    explicit Core(asio::io_context& loop)
        : acceptor_(loop), retry_(loop), reception_(std::make_shared<Reception>()) {}

    Result<void> listen(asio::io_context& loop, const ListenConfig& listen) {
        if (!listen.socket.empty()) {
            if (auto ready = remove_stale(loop, listen); !ready) return ready;
        }
        const auto endpoint = endpoint_of(loop, listen);
        if (!endpoint) return tl::unexpected(endpoint.error());
        // Nobody may come in between bind and chmod.
        const mode_t before = ::umask(0177);
        Error error;
        acceptor_.open(endpoint->protocol(), error);
        if (!error && listen.socket.empty()) {
            acceptor_.set_option(Acceptor::reuse_address(true), error);
        }
        if (!error) acceptor_.bind(*endpoint, error);
        ::umask(before);
        if (error) return cannot_listen(listen, error);
        socket_path_ = listen.socket;
        if (!listen.socket.empty()) {
            if (auto shared = share_socket(listen, reception_->options.group); !shared) {
                return shared;
            }
        }
        acceptor_.listen(Acceptor::max_listen_connections, error);
        if (error) return cannot_listen(listen, error);
        return {};
    }

    void accept() {
        acceptor_.async_accept([self = shared_from_this()](Error error, Session::Socket socket) {
            if (!self->acceptor_.is_open()) return;
            if (error) return self->accept_later();
            self->admit(std::move(socket));
            self->accept();
        });
    }

    void tell_viewers() {
        for (const auto& session : living()) {
            if (session->is_viewer()) session->send_event();
        }
    }

    void close() {
        Error ignored;
        acceptor_.close(ignored);
        retry_.cancel();
        for (const auto& session : living()) session->close();
        if (!socket_path_.empty()) ::unlink(socket_path_.c_str());
    }

    std::uint16_t port() const {
        Error error;
        const auto endpoint = acceptor_.local_endpoint(error);
        if (error || !socket_path_.empty()) return 0;
        asio::ip::tcp::endpoint tcp;
        std::memcpy(tcp.data(), endpoint.data(), std::min(endpoint.size(), tcp.capacity()));
        return tcp.port();
    }

    Reception& reception() { return *reception_; }

  private:
    void admit(Session::Socket socket) {
        std::erase_if(sessions_, [](const auto& session) { return session.expired(); });
        if (reception_->sessions >= reception_->options.connections) {
            Error ignored;
            socket.close(ignored);
            return;
        }
        const auto session = std::make_shared<Session>(std::move(socket), reception_);
        sessions_.push_back(session);
        session->start();
    }

    // Out of file descriptors, most likely: trying again at once would spin.
    void accept_later() {
        retry_.expires_after(std::chrono::milliseconds{50});
        retry_.async_wait([self = shared_from_this()](Error error) {
            if (!error && self->acceptor_.is_open()) self->accept();
        });
    }

    std::vector<std::shared_ptr<Session>> living() const {
        std::vector<std::shared_ptr<Session>> result;
        for (const auto& weak : sessions_) {
            if (auto session = weak.lock()) result.push_back(std::move(session));
        }
        return result;
    }

    Acceptor acceptor_;
    asio::steady_timer retry_;
    std::shared_ptr<Reception> reception_;
    std::vector<std::weak_ptr<Session>> sessions_;
    std::string socket_path_;
};

Result<Door> Door::open(asio::io_context& loop, const ListenConfig& listen,
                        std::shared_ptr<Site> site, DoorOptions options) {
    auto core = std::make_shared<Core>(loop);
    Door door(core);
    Reception& reception = core->reception();
    reception.site = std::move(site);
    reception.admission = {listen.socket.empty(), listen.host, listen.token};
    reception.options = std::move(options);
    reception.options.connections = bounded_by_files(reception.options.connections);
    if (auto listening = core->listen(loop, listen); !listening) {
        return tl::unexpected(std::move(listening.error()));
    }
    core->accept();
    return door;
}

Door::Door(std::shared_ptr<Core> core) : core_(std::move(core)) {}

Door::Door(Door&&) noexcept = default;

Door::~Door() {
    if (core_) core_->close();
}

void Door::tell_viewers() {
    core_->tell_viewers();
}

std::uint16_t Door::port() const {
    return core_->port();
}

std::size_t Door::connections() const {
    return core_->reception().sessions;
}

std::size_t Door::viewers() const {
    return core_->reception().viewers;
}

}  // namespace coordinatord
