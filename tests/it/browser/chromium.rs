//! Chromium, driven by its DevTools protocol (<https://chromedevtools.github.io/devtools-protocol/>) over a pipe.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::{Value, json};

const CHROMIUM: &str = "/usr/bin/chromium";

/// The browser reads and writes descriptors 3 and 4, which are pipes of this process. A browser that hangs is ended
/// after two minutes, which fails the test.
const PIPED: &str = r#"exec timeout --signal=KILL 120 "$@" 3<&0 4>&1 </dev/null >/dev/null 2>&1"#;

/// A browser with one page. It ends when it is dropped.
pub(super) struct Chromium {
    process: Child,
    commands: ChildStdin,
    responses: BufReader<ChildStdout>,
    page: Value,
    last_id: u64,
    complaints: Vec<String>,
    asked: Vec<String>,
    profile: String,
}

impl Chromium {
    /// Starts the browser on a page. Returns `None` and reports it if no browser is installed.
    pub(super) fn open(url: &str) -> Option<Self> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        if !Path::new(CHROMIUM).exists() {
            restwright_tests::skip(format_args!("{CHROMIUM} is not installed"));
            return None;
        }
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let profile = format!("{}/chromium-{}-{count}", env!("CARGO_TARGET_TMPDIR"), std::process::id());
        let mut process = Command::new("sh")
            .args(["-c", PIPED, "sh", CHROMIUM, "--remote-debugging-pipe", &format!("--user-data-dir={profile}")])
            .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"])
            .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
            .args(["--disable-dev-shm-usage", "--window-size=1200,1600"])
            .arg("about:blank")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (commands, responses) = (process.stdin.take().unwrap(), BufReader::new(process.stdout.take().unwrap()));
        let (page, complaints, asked) = (Value::Null, Vec::new(), Vec::new());
        let mut browser = Self { process, commands, responses, page, last_id: 0, complaints, asked, profile };
        let target = browser.ask("Target.createTarget", &json!({ "url": "about:blank" }))["targetId"].clone();
        let attached = browser.ask("Target.attachToTarget", &json!({ "targetId": target, "flatten": true }));
        browser.page = attached["sessionId"].clone();
        for domain in ["Runtime", "Log", "Page", "Network"] {
            browser.ask(&format!("{domain}.enable"), &json!({}));
        }
        browser.go(url);
        Some(browser)
    }

    /// Navigates to a page, and waits until it has loaded or failed.
    pub(super) fn go(&mut self, url: &str) {
        self.ask("Page.navigate", &json!({ "url": url }));
    }

    /// Waits for the first element of a CSS selector, and clicks it as a user does.
    pub(super) fn click(&mut self, selector: &str) {
        self.with(selector, "element.click()");
    }

    /// Waits for a field, and types into it.
    pub(super) fn enter(&mut self, selector: &str, text: &str) {
        self.with(selector, "element.focus()");
        self.ask("Input.insertText", &json!({ "text": text }));
    }

    /// Waits for an element that contains a string, and returns its content.
    pub(super) fn text(&mut self, selector: &str) -> String {
        self.with(selector, "element.textContent").as_str().unwrap_or_default().to_owned()
    }

    /// Waits until an expression in the page is true.
    pub(super) fn wait(&mut self, expression: &str) {
        self.evaluate(&format!(
            "new Promise((resolve, reject) => {{
                const end = Date.now() + 20_000;
                const look = () => {{
                    if ({expression}) resolve(true);
                    else if (Date.now() > end) reject(new Error({expression:?} + ' does not hold'));
                    else setTimeout(look, 10);
                }};
                look();
            }})"
        ));
    }

    /// Sets the size of the window.
    pub(super) fn resize(&mut self, width: u32, height: u32) {
        let size = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.ask("Emulation.setDeviceMetricsOverride", &size);
    }

    /// Sets `prefers-color-scheme`, to `light` or `dark`.
    pub(super) fn prefer(&mut self, scheme: &str) {
        let features = json!([{ "name": "prefers-color-scheme", "value": scheme }]);
        self.ask("Emulation.setEmulatedMedia", &json!({ "features": features }));
    }

    /// Presses a key, and releases it.
    pub(super) fn press(&mut self, key: &str) {
        let (code, text) = match key {
            "Tab" => (9, ""),
            "Enter" => (13, "\r"),
            other => (u32::from(other.as_bytes()[0]), other),
        };
        let event = |kind: &str| json!({ "type": kind, "key": key, "windowsVirtualKeyCode": code, "text": text });
        self.ask("Input.dispatchKeyEvent", &event("keyDown"));
        let mut released = event("keyUp");
        released["text"] = json!("");
        self.ask("Input.dispatchKeyEvent", &released);
    }

    /// Returns an image of the window, as WebP in base64.
    pub(super) fn screenshot(&mut self, quality: u32) -> String {
        let image = self.ask("Page.captureScreenshot", &json!({ "format": "webp", "quality": quality }));
        image["data"].as_str().unwrap().to_owned()
    }

    /// Waits for an element, and runs a script with it.
    fn with(&mut self, selector: &str, script: &str) -> Value {
        self.evaluate(&format!(
            "new Promise((resolve, reject) => {{
                const end = Date.now() + 20_000;
                const look = () => {{
                    const element = document.querySelector({selector});
                    if (element) resolve({script});
                    else if (Date.now() > end) reject(new Error({selector} + ' is not in ' + document.body.innerText));
                    else setTimeout(look, 10);
                }};
                look();
            }})",
            selector = json!(selector)
        ))
    }

    /// Runs a script in the page, and returns its result, or the result of its promise.
    pub(super) fn evaluate(&mut self, script: &str) -> Value {
        let evaluated = self.ask(
            "Runtime.evaluate",
            &json!({ "expression": script, "awaitPromise": true, "returnByValue": true, "userGesture": true }),
        );
        let thrown = &evaluated["exceptionDetails"]["exception"]["description"];
        assert!(thrown.is_null(), "{}\n{:#?}", thrown.as_str().unwrap_or_default(), self.complaints);
        evaluated["result"]["value"].clone()
    }

    /// Returns the console messages so far: errors of scripts, of the network and of the policy.
    pub(super) fn complaints(&self) -> &[String] {
        &self.complaints
    }

    /// Returns the URLs that the page has requested so far, or tried to request.
    pub(super) fn asked(&self) -> &[String] {
        &self.asked
    }

    /// Sends a command, and waits for its response. Records console messages and requests that arrive before it.
    fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.last_id += 1;
        let mut command = json!({ "id": self.last_id, "method": method, "params": params });
        if !self.page.is_null() {
            command["sessionId"] = self.page.clone();
        }
        self.commands.write_all(format!("{command}\0").as_bytes()).unwrap();
        loop {
            let mut message = Vec::new();
            self.responses.read_until(0, &mut message).unwrap();
            assert_eq!(message.pop(), Some(0), "the browser ended");
            let message: Value = serde_json::from_slice(&message).unwrap();
            if message["id"] == self.last_id {
                assert!(message.get("error").is_none(), "{method}: {message}");
                return message["result"].clone();
            }
            let (said, params) = (message["method"].as_str().unwrap_or_default(), &message["params"]);
            match said {
                "Log.entryAdded" if params["entry"]["level"] != "verbose" => {
                    self.complaints.push(params["entry"]["text"].to_string())
                }
                "Network.requestWillBeSent" => {
                    self.asked.extend(params["request"]["url"].as_str().map(str::to_owned));
                }
                "Runtime.consoleAPICalled" => self.complaints.push(params["args"].to_string()),
                "Runtime.exceptionThrown" => self.complaints.push(params["exceptionDetails"].to_string()),
                _ => {}
            }
        }
    }
}

impl Drop for Chromium {
    fn drop(&mut self) {
        // The browser ends its own child processes.
        let _ = self.commands.write_all(b"{\"id\":0,\"method\":\"Browser.close\"}\0");
        let _ = self.process.wait();
        let _ = std::fs::remove_dir_all(&self.profile);
    }
}
