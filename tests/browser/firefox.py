#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""firefox.py FIREFOX WARPLENS TRACE PAGE - open PAGE, which viewer made of TRACE, in Firefox and use it.

Speaks Marionette, Firefox's own remote control: JSON over TCP, each message behind its length and a colon. Only
the standard library is needed.
"""
import json
import pathlib
import socket
import subprocess
import sys
import tempfile
import time

START_SECONDS = 90
PAGE = 'const page = window.wrappedJSObject ?? window; '


class Firefox:
    """A browser without a window, with a profile of its own."""

    def __init__(self, program):
        self.profile = tempfile.TemporaryDirectory(prefix='firefox-')
        self.port = self._free_port()
        prefs = {'marionette.port': self.port, 'browser.shell.checkDefaultBrowser': False,
                 'datareporting.policy.dataSubmissionEnabled': False, 'app.update.enabled': False,
                 'network.captive-portal-service.enabled': False, 'network.connectivity-service.enabled': False}
        lines = [f'user_pref({json.dumps(key)}, {json.dumps(value)});\n' for key, value in prefs.items()]
        (pathlib.Path(self.profile.name) / 'user.js').write_text(''.join(lines))
        self.process = subprocess.Popen(
            [program, '--headless', '--marionette', '--remote-allow-system-access', '--no-remote',
             '--profile', self.profile.name, '--window-size', '1600,900'],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.number = 0
        self.stream = self._connect()
        self._read()
        self.ask('WebDriver:NewSession', {'capabilities': {'alwaysMatch': {'acceptInsecureCerts': False}}})

    @staticmethod
    def _free_port():
        with socket.socket() as probe:
            probe.bind(('127.0.0.1', 0))
            return probe.getsockname()[1]

    def _connect(self):
        end = time.monotonic() + START_SECONDS
        while True:
            try:
                return socket.create_connection(('127.0.0.1', self.port), timeout=60).makefile('rwb')
            except OSError:
                if self.process.poll() is not None or time.monotonic() > end:
                    raise
                time.sleep(0.2)

    def _read(self):
        length = b''
        while not length.endswith(b':'):
            byte = self.stream.read(1)
            if not byte:
                raise EOFError('Firefox has hung up')
            length += byte
        return json.loads(self.stream.read(int(length[:-1])))

    def ask(self, command, parameters=None):
        """The result of a command; RuntimeError where Firefox refuses."""
        self.number += 1
        message = json.dumps([0, self.number, command, parameters or {}]).encode()
        self.stream.write(b'%d:%s' % (len(message), message))
        self.stream.flush()
        _, _, error, result = self._read()
        if error:
            raise RuntimeError(f'{command}: {error.get("message")}')
        return result

    def run(self, script, *args):
        """What a script returns; page is the window as scripts of the page see it."""
        return self.ask('WebDriver:ExecuteScript', {'script': PAGE + script, 'args': list(args)})['value']

    def run_async(self, script, *args):
        """The same of a script that awaits something."""
        body = (f'{PAGE}const done = arguments[arguments.length - 1]; '
                f'(async () => {{ {script} }})().then(done, e => done(String(e)));')
        return self.ask('WebDriver:ExecuteAsyncScript', {'script': body, 'args': list(args)})['value']

    def press(self, key):
        """Press a key and release it."""
        keys = [{'type': 'keyDown', 'value': key}, {'type': 'pause', 'duration': 150}, {'type': 'keyUp', 'value': key}]
        self.ask('WebDriver:PerformActions', {'actions': [{'type': 'key', 'id': 'keyboard', 'actions': keys}]})

    def page_errors(self, name):
        """Errors of scripts of the page since it was opened, warnings not among them."""
        self.ask('Marionette:SetContext', {'value': 'chrome'})
        try:
            return self.run('''
                return Services.console.getMessageArray().filter(m => m instanceof Ci.nsIScriptError &&
                    !(m.flags & Ci.nsIScriptError.warningFlag) && m.sourceName.includes(arguments[0])).map(String);
                ''', name)
        finally:
            self.ask('Marionette:SetContext', {'value': 'content'})

    def quit(self):
        self.stream.close()
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.profile.cleanup()


def wait_until(condition, seconds=60):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.1)
    return True


def check_page(firefox, page, warplens, trace):
    """Yield (what, whether it holds, detail)."""
    firefox.ask('WebDriver:Navigate', {'url': pathlib.Path(page).resolve().as_uri()})
    ready = wait_until(lambda: firefox.run('return page.__warplens?.app.timeline.drawn.frames > 0'))
    yield 'the page is ready', ready, firefox.run('return document.getElementById("cover-text").textContent')
    colours = firefox.run('''
        const canvas = document.getElementById("canvas");
        const image = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
        return new Set(new Uint32Array(image.data.buffer)).size;''')
    yield 'something is drawn', colours > 8, colours
    firefox.run('document.getElementById("canvas").focus()')
    view = 'const {a, b} = page.__warplens.state.view; return [a, b]'
    whole = firefox.run(view)
    firefox.press('w')
    moved = wait_until(lambda: firefox.run(view)[1] - firefox.run(view)[0] < whole[1] - whole[0], 10)
    yield 'W zooms in', moved, (whole, firefox.run(view))
    near = firefox.run(view)
    firefox.press('d')
    yield 'D pans', wait_until(lambda: firefox.run(view)[0] > near[0], 10), (near, firefox.run(view))
    answer = subprocess.run([warplens, 'kernels', '--by', 'name', '--gpu', '0', '-f', 'json', trace],
                            capture_output=True, text=True, check=True)
    top = json.loads(answer.stdout)['rows'][0]
    counted = firefox.run_async('''
        const {app, state: {extent}} = page.__warplens;
        const rows = app.source.head.rows.flatMap((row, id) => row.kind === 'stream' && row.device === 0 ? [id] : []);
        const table = await app.source.stats(extent.begin, extent.end, rows, 'name');
        const at = key => table.columns.findIndex(column => column.key === key);
        const row = table.rows.find(row => row[0] === arguments[0]);
        return row && [row[at('count')], row[at('sum')]];''', top['name'])
    yield 'a statistic is that of the program', counted == [top['calls'], top['sum']], (counted, top)
    empty = firefox.run_async('''
        const empty = [], tabs = [...document.querySelectorAll('#drawer [role=tab]')].map(tab => tab.id.slice(4));
        for (const tab of tabs) {
            page.__warplens.app.panels.show(tab);
            for (let i = 0; i < 50 && document.getElementById(`panel-${tab}`).innerText.trim() === ''; i++)
                await new Promise(done => setTimeout(done, 100));
            if (document.getElementById(`panel-${tab}`).innerText.trim() === '')
                empty.push(tab);
        }
        return [tabs.length, empty];''')
    yield 'each tab shows something', empty[0] >= 8 and empty[1] == [], empty
    errors = firefox.page_errors(pathlib.Path(page).name)
    yield 'no script fails', errors == [], errors


def main():
    program, warplens, trace, page = sys.argv[1:]
    firefox = Firefox(program)
    passed = failed = 0
    try:
        for what, holds, detail in check_page(firefox, page, warplens, trace):
            passed, failed = passed + bool(holds), failed + (not holds)
            if not holds:
                print(f'FAIL: {what}: {str(detail)[:500]}')
    finally:
        firefox.quit()
    print(f'{passed} passed, {failed} failed')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
