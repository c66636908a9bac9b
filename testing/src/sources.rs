//! Small source files in many languages, all written for this crate.

macro_rules! sources {
    ($($name:literal),* $(,)?) => {
        /// Each file's name and text.
        pub(crate) const SOURCES: &[(&str, &str)] =
            &[$(($name, include_str!(concat!("../fixtures/sources/", $name, ".txt")))),*];
    };
}

sources![
    "Cabin.swift",
    "Dockerfile",
    "Makefile",
    "Parcel.java",
    "Weather.kt",
    "access.log",
    "agents.py",
    "backup.sh",
    "board.ts",
    "boats.csv",
    "change.diff",
    "config.toml",
    "deploy.yaml",
    "events.json",
    "feed.php",
    "greet.rb",
    "guide.md",
    "haven.lua",
    "lamp.cs",
    "ledger.rs",
    "main.tf",
    "nginx.conf",
    "notes.ipynb",
    "package.json",
    "panel.jsx",
    "patterns",
    "picture.svg",
    "queue.go",
    "schema.sql",
    "service.proto",
    "site.html",
    "style.css",
    "tide.py",
    "tower",
    "wave.c",
];
