//! The gateway of the latency benchmark.

use std::net::SocketAddr;

use llmend_gateway::{Config, Gateway, Settings};

/// A gateway in front of the upstream, on threads of its own.
pub(crate) fn start(upstream: SocketAddr) -> SocketAddr {
    let config = format!(
        "[gateway]\nlisten = \"127.0.0.1:0\"\n[gateway.limits]\nin_flight = 10000\n[gateway.upstreams.a]\nbase_url = \"http://{upstream}/v1\""
    );
    let settings =
        Settings::new(&Config::from_toml(&config).expect("sound"), |_| None).expect("sound");
    let (sender, receiver) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
        runtime.expect("a runtime").block_on(async {
            let gateway = Gateway::bind(settings).await.expect("a port");
            sender.send(gateway.address().expect("an address")).expect("somebody waits");
            gateway.run(std::future::pending()).await;
        });
    });
    receiver.recv().expect("a gateway")
}
