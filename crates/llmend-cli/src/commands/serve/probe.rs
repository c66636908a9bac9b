//! `llmend serve --probe`: whether a gateway is alive, for the health checks of containers that hold nothing else.

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream};
use std::time::Duration;

use crate::exit::Exit;
use crate::output::eprint;

/// The limit for the connection, and for each wait after it.
const TIMEOUT: Duration = Duration::from_secs(2);

/// More than a gateway answers.
const MAX_BYTES: u64 = 16 << 10;

/// Asks the gateway that listens on `listen`. Anything but a sound answer is the status 1, the only one that Docker
/// documents as unhealthy.
pub(super) fn run(listen: SocketAddr) -> Exit {
    let address = reachable(listen);
    let why = match status(address) {
        Ok(status) if status == "200" => return Exit::Value,
        Ok(status) => format!("expected status 200, found `{status}`"),
        Err(error) => error.to_string(),
    };
    eprint(&format!("llmend: http://{address}/healthz: {why}"));
    Exit::Refused
}

/// Returns an address of this machine in place of "all of them".
fn reachable(mut listen: SocketAddr) -> SocketAddr {
    if listen.ip().is_unspecified() {
        listen.set_ip(match listen {
            SocketAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
            SocketAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
        });
    }
    listen
}

/// Returns the status of `GET /healthz`, without a client for HTTP: the gateway answers with a few hundred bytes.
fn status(address: SocketAddr) -> io::Result<String> {
    let mut stream = TcpStream::connect_timeout(&address, TIMEOUT)?;
    stream.set_read_timeout(Some(TIMEOUT))?;
    stream.set_write_timeout(Some(TIMEOUT))?;
    write!(stream, "GET /healthz HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n")?;
    let mut answer = Vec::new();
    stream.take(MAX_BYTES).read_to_end(&mut answer)?;
    let answer = String::from_utf8_lossy(&answer);
    let line = answer.lines().next().unwrap_or_default();
    let status = line.strip_prefix("HTTP/1.1 ").and_then(|rest| rest.split(' ').next());
    Ok(status.unwrap_or(line).to_owned())
}

#[cfg(test)]
mod tests {
    use super::reachable;

    #[test]
    fn all_addresses_are_reached_by_the_local_one() {
        let rows = [
            ("0.0.0.0:8787", "127.0.0.1:8787"),
            ("[::]:8787", "[::1]:8787"),
            ("10.0.0.7:80", "10.0.0.7:80"),
        ];
        for (listen, expected) in rows {
            assert_eq!(reachable(listen.parse().unwrap()).to_string(), expected);
        }
    }
}
