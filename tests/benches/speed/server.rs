//! The serving process: one side, one case, one worker.

use std::io::Read;
use std::net::{Ipv4Addr, TcpListener};

use crate::cases::Case;
use crate::{by_hand, declared, limited, resource};

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Side {
    ByHand,
    Restwright,
    RestwrightInApp,
}

impl Side {
    pub(crate) const ALL: [Self; 3] = [Self::ByHand, Self::Restwright, Self::RestwrightInApp];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::ByHand => "by-hand",
            Self::Restwright => "restwright",
            Self::RestwrightInApp => "restwright-in-app",
        }
    }

    pub(crate) fn named(name: &str) -> Self {
        Self::ALL.into_iter().find(|side| side.name() == name).unwrap_or_else(|| panic!("no side is called {name}"))
    }
}

/// Binds a port and prints it; the process ends with its standard input.
pub(crate) fn listen() -> TcpListener {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
    println!("{}", listener.local_addr().expect("a bound socket has an address").port());
    std::thread::spawn(|| {
        let _ = std::io::stdin().read_to_end(&mut Vec::new());
        std::process::exit(0);
    });
    listener
}

/// Serves a case.
pub(crate) fn serve(side: Side, case: &Case) {
    let listener = listen();
    match side {
        Side::ByHand if case.is_of_resource() => resource::by_hand::serve(listener),
        Side::Restwright if case.is_of_resource() => resource::declared::serve(listener),
        Side::RestwrightInApp if case.is_of_resource() => resource::declared::serve_in_app(listener),
        Side::ByHand => by_hand::serve(listener, case.routes),
        Side::Restwright if case.name == "limited" => limited::serve(listener),
        Side::Restwright => declared::serve(listener, case.routes),
        Side::RestwrightInApp => declared::serve_in_app(listener, case.routes),
    }
    .expect("the server runs");
}
