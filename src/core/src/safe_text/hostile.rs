//! Strings that attack a terminal, for tests of everything that shows text of others.
//!
//! Where an attack succeeds, a screen shows `pwned`, loses or reorders `benign`, or has its title, clipboard, cursor or
//! modes changed.

/// One string per attack. Each begins with what attacks or with the word `benign`, so that a test can find its row.
pub const HOSTILE: &[&str] = &[
    // Colours that stay, a cleared screen, a moved cursor, another screen, a hidden cursor, mouse reports, reset.
    "benign \x1b[31;5mpwned",
    "benign \x1b[2J\x1b[Hpwned",
    "benign \x1b[999;1Hpwned",
    "benign \x1b[1A\x1b[2Kpwned",
    "benign \x1b[?1049hpwned",
    "benign \x1b[?25lpwned",
    "benign \x1b[?1003h\x1b[?1006hpwned",
    "benign \x1b[?2004lpwned",
    "benign \x1b[5;10rpwned",
    "benign \x1bcpwned",
    "benign \x1b(0pwned",
    // Title, icon, clipboard write and read, link with another target, working directory, notification, palette.
    "benign \x1b]0;pwned\x07",
    "benign \x1b]2;pwned\x1b\\",
    "benign \x1b]52;c;cHduZWQ=\x07",
    "benign \x1b]52;c;?\x07",
    "benign \x1b]8;;http://pwned.example/\x1b\\https://bank.example/\x1b]8;;\x1b\\",
    "benign \x1b]7;file:///pwned\x07",
    "benign \x1b]9;pwned\x07",
    "benign \x1b]777;notify;pwned;pwned\x07",
    "benign \x1b]4;1;rgb:00/00/00\x07\x1b]11;#000000\x07",
    "benign \x1b]1337;File=inline=1:cHduZWQ=\x07",
    // Questions whose answer arrives as typed input.
    "benign \x1b[6n",
    "benign \x1b[c\x1b[>c\x1b[0x",
    "benign \x1b[21t\x1b[14t",
    "benign \x1bP$qm\x1b\\",
    "benign \x05",
    // Strings that swallow what follows: device control, application command, privacy message, no end.
    "benign \x1bPpwned\x1b\\",
    "benign \x1b_Gi=1,a=T;cHduZWQ=\x1b\\",
    "benign \x1b^pwned\x1b\\",
    "benign \x1b]0;pwned",
    "benign \x1bP1;1|pwned",
    "benign \x1b",
    // The same with the 8-bit controls.
    "benign \u{9b}31mpwned",
    "benign \u{9d}0;pwned\u{9c}",
    "benign \u{90}pwned\u{9c}",
    "benign \u{85}pwned\u{8d}pwned",
    // Overwriting by single controls.
    "benign\rpwned ",
    "benign\x08\x08\x08\x08\x08\x08pwned ",
    "benign \x07\x0e\x0f\0\x7f\x0b\x0c\x11\x13\x18\x1a",
    "benign\tpwned\npwned\r\npwned",
    "benign \u{2028}pwned\u{2029}pwned",
    // Reordering.
    "benign \u{202E}denwp\u{202C}",
    "benign \u{202D}\u{202A}\u{202B}pwned",
    "benign \u{2066}\u{2067}\u{2068}pwned",
    "benign \u{200F}\u{200E}\u{061C}\u{2069}pwned",
    // Hidden characters.
    "benign\u{200B}\u{200B}\u{200C}\u{200D}\u{2060}\u{FEFF}",
    "\u{FEFF}benign\u{AD}\u{034F}\u{180E}\u{2064}",
    "benign\u{E0001}\u{E0070}\u{E0077}\u{E006E}\u{E0065}\u{E0064}\u{E007F}",
    "benign 🏴\u{E0070}\u{E0077}\u{E006E}\u{E0065}\u{E0064}\u{E007F}",
    "benign\u{FE00}\u{FE0E}\u{FE0F}\u{E0100}\u{E01EF}\u{180B}",
    "benign \u{115F}\u{1160}\u{3164}\u{FFA0}\u{17B4}\u{17B5}",
    "benign \u{FFF9}pwned\u{FFFA}pwned\u{FFFB}\u{1D173}\u{1D17A}\u{1BCA0}",
    // Cells that are not its own: marks on the frame, marks without end, half a flag, parts of syllables.
    "\u{0301}\u{0489}benign",
    "benign Z\u{0335}\u{0321}\u{0316}\u{0300}\u{030D}\u{0352}\u{0489}a\u{0310}\u{0311}\u{0312}\u{0313}\u{0314}\u{0315}",
    "\u{1F3FF}benign \u{1F1E9}",
    "benign \u{1F1E9}\u{200D}\u{1F1EA}\u{1F1E6}",
    "\u{1161}\u{11A8}benign \u{0605}",
    "benign 👩\u{200D}👩\u{200D}👩\u{200D}👩\u{200D}👩\u{200D}👩\u{200D}👩\u{200D}\u{200D}👩\u{200D}",
    "benign ᄀᄀᄀᄀᄀᄀᄀᄀᄀᄀᄀᄀᄀᄀᄀᄀᄀᄀᄀᄀᄀᄀᄀᄀᄀᄀᄀᄀᄀᄀᄀᄀ가",
    "benign क्क्क्क्क्क्क्क्क्क्क्क्क्क्क्क्क्क्क्क्क",
    // Nobody can know what these look like.
    "benign \u{E000}\u{F8FF}\u{F0000}\u{10FFFD}",
    "benign \u{FFFE}\u{FFFF}\u{FDD0}\u{1FFFE}\u{10FFFF}\u{0378}",
];
